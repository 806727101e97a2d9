"""A process that has torch ready, and runs scripts and judges cases in children of its own.

Importing torch takes seconds; so each test that only needs some fresh process asks this one.
One JSON object a line each way: ``{"run": script}`` gives ``{"status", "said"}``; ``{"judge":
[name, source]}`` gives the judgement, signed.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import tempfile
import traceback


def main() -> None:
    import torch

    def step(x):
        torch._dynamo.graph_break()
        return x + 1

    # The first compile imports as much again as torch itself.
    torch.compile(step, backend="eager")(torch.ones(1))
    torch._dynamo.reset()
    print("ready", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        with tempfile.TemporaryFile("w+") as output:
            pid = os.fork()
            if pid == 0:
                os._exit(_in_child(request, output))
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            output.seek(0)
            print(json.dumps({"status": status, "said": output.read()}), flush=True)


def _in_child(request: dict[str, object], output: object) -> int:
    os.dup2(output.fileno(), 1)  # type: ignore[attr-defined]
    os.dup2(output.fileno(), 2)  # type: ignore[attr-defined]
    try:
        if "run" in request:
            sys.argv = [str(request["run"])]
            runpy.run_path(str(request["run"]), run_name="__main__")
        else:
            _judge(*request["judge"])  # type: ignore[misc]
    except SystemExit as error:
        return int(error.code or 0)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def _judge(name: str, source: str, backend: str) -> None:
    from framefuzz.case import Case
    from framefuzz.oracles.judge import judge
    from framefuzz.subjects.dynamo import DynamoSubject
    from framefuzz.triage.signature import sign

    judgement = judge(Case(name, source, f"{name}.py"), DynamoSubject(backend))
    sign(judgement.divergences)
    print(json.dumps(judgement.to_json()))


if __name__ == "__main__":
    main()
