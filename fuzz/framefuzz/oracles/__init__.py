"""Oracles: compare two traces, or check one, and report divergences."""
