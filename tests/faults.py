"""Programs that misbehave, for the tests of all that has to survive them."""

from __future__ import annotations

import textwrap

# What a case does, and what it is then said to have died of.
DEADLY = {
    "segfault": ("import os; os.kill(os.getpid(), 11)", "signal 11"),
    "null pointer": ("import ctypes; ctypes.string_at(0)", "signal 11"),
    "abort": ("import os; os.abort()", "signal 6"),
    "os._exit(0)": ("import os; os._exit(0)", "exit code 0"),
    "os._exit(3)": ("import os; os._exit(3)", "exit code 3"),
    "sys.exit": ("import sys; sys.exit(4)", "exit code 4"),
    "sys.exit with text": ("import sys; sys.exit('no')", "exit code 1"),
    "spin": ("while True: pass", "deadline 0.8 s"),
    "spin ignoring errors": (
        "while True:\n try:\n  while True: pass\n except BaseException: pass",
        "deadline 0.8 s",
    ),
    "sleep": ("import time; time.sleep(1000)", "deadline 0.8 s"),
    "stop": ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", "deadline 0.8 s"),
    "deaf": (
        "import signal, time\n"
        "for n in set(signal.valid_signals()) - {9, 19}: signal.signal(n, signal.SIG_IGN)\n"
        "time.sleep(1000)",
        "deadline 0.8 s",
    ),
    "one big allocation": ("bytearray(1 << 40)", "memory"),
    "allocations in a loop": ("kept = []\nwhile True: kept.append(bytearray(1 << 24))", "memory"),
    "recursion in C": (
        "deep = ()\nfor _ in range(1 << 18): deep = (deep,)\nhash(deep)",
        "signal 11",
    ),
    "closed files": ("import os; os.closerange(0, 20000)", "lost its result pipe"),
    "hide in the server's group": (
        "import os; os.setpgid(0, os.getpgid(os.getppid()))\nwhile True: pass",
        "deadline 0.8 s",
    ),
    "terminated": ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "signal 15"),
    "killed": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "signal 9"),
}

# What a case does without dying of it; all of these must leave the others alone.
HARMLESS = {
    "exception": "1/0",
    "recursion in Python": "def f(): f()\nf()",
    "huge output": "import os\nfor _ in range(64): os.write(1, b'x' * 1_000_000)",
    "huge errors": "import os\nfor _ in range(64): os.write(2, b'x' * 1_000_000)",
    "garbage on every pipe": (
        "import os\n"
        "for fd in range(3, 700):\n"
        ' try: os.write(fd, b\'{"kind":"bye"}\\n\\xff{\')\n'
        " except OSError: pass"
    ),
    "fork": "import os; os.fork()",
    "fork and let the copy sleep": "import os, time\nif os.fork() == 0: time.sleep(1000)",
    "a daemon": (
        "import os, time\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0: time.sleep(1000)\n"
        " os._exit(0)"
    ),
    "threads left running": (
        "import threading, time\n"
        "for _ in range(5): threading.Thread(target=time.sleep, args=(1000,)).start()"
    ),
    "a thread that exits later": (
        "import os, threading\nthreading.Timer(0.05, os._exit, (7,)).start()"
    ),
    "another working directory": "import os; os.chdir('/')",
    "no working directory": (
        "import os, tempfile\nd = tempfile.mkdtemp()\nos.chdir(d); os.rmdir(d)"
    ),
    "signal handlers": "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "environment": "import os; os.environ['PATH'] = ''",
    "all file descriptors": (
        "import os\nkept = []\ntry:\n while True: kept.append(os.open('/dev/null', 0))\n"
        "except OSError: pass\nimport builtins; builtins.kept = kept"
    ),
    "unraisable errors": (
        "class C:\n def __del__(self): raise ValueError\nfor _ in range(1000): C()"
    ),
    "a file that is too large": (
        "import tempfile\nwith tempfile.TemporaryFile() as f: f.write(b'x' * (1 << 21))"
    ),
    "standard streams closed": "import sys; sys.stdout.close(); sys.stderr.close()",
    "standard input read": "import sys; assert sys.stdin.read() == ''",
    "an alarm": "import signal; signal.alarm(1000)",
}


def only_in(phase: str, source: str) -> str:
    """The source, such that it does something in one phase of tests/toy_job.py only."""
    return f"if phase == '{phase}':\n{textwrap.indent(source, ' ')}\n"


def finds(signature: str) -> str:
    """The source of a program that is found to diverge."""
    return f"if phase == 'subject': found.append('{signature}')"
