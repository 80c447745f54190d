"""Common parts of the self-test's checks: vectors, examples, and a count."""

import json
import re
import sys
from pathlib import Path

PROTOCOL = Path(__file__).resolve().parents[3] / "Protocol"
count = 0


def equal(got, wanted, what: str) -> None:
    """Count a check, and end the process unless the two values are the same."""
    global count
    count += 1
    if got != wanted:
        show = [value.hex() if isinstance(value, bytes) else value for value in (got, wanted)]
        sys.exit(f"{what}: got {show[0]}, the specification says {show[1]}")


def fault(kind, call, *arguments):
    """Return the text of the exception of `kind` that the call raises, or None."""
    try:
        call(*arguments)
    except kind as error:
        return getattr(error, "word", str(error))
    return None


def vectors(name: str) -> dict:
    """Return the vectors of a file."""
    return json.loads((PROTOCOL / "vectors" / f"{name}.json").read_text())


def example(file: str, label: str) -> str:
    """Return the value that a table of the specification has for a label."""
    found = re.search(rf"^\| {re.escape(label)} \| `([^`]*)` \|$", (PROTOCOL / file).read_text(), re.M)
    if not found:
        sys.exit(f"{file} has no example for {label}")
    return found[1]
