"""``python -m framefuzz``: the command line without an installed script."""

from framefuzz.cli import main

main(prog_name="framefuzz")
