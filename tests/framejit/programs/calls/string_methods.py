"""Methods of strings."""

import torch


def make():
    def f(x, s):
        return (
            x + 1,
            s.split(","),
            ",".join([s, "b"]),
            s.replace("a", "c"),
            s[1:],
            s * 2,
            s + "!",
            "a" in s,
            s.format(1),
            "%s-%d" % (s, 3),
            s.encode(),
            s < "b",
            hash(s) == hash(s),
            ord(s[0]),
            f"{s:>10}",
            s.startswith(("a", "b")),
            s.title(),
            len(s),
            list(s),
            s.__class__,
            int("12"),
            float("1.5"),
            str(1.0),
            repr(s),
            sorted(s),
            max(s),
            dict(a=s),
            "".join(reversed(s)),
            s.partition(","),
            s.strip("a"),
            s.isdigit(),
        )

    return f


def calls(fn):
    yield (torch.ones(2), "a,b")
    yield (torch.ones(2), "b,a")
