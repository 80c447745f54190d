"""The options of a chaos run."""
import argparse
import dataclasses
import pathlib
import random
import sys
from typing import NoReturn

from plants import PLANTS

DEFAULT_BINARY = pathlib.Path(__file__).resolve().parents[2] / ".build/debug/latchkey"


@dataclasses.dataclass(frozen=True)
class Options:
    """The requested properties of a run."""

    kills: int
    children: int
    seed: int
    seconds: int
    keep: bool
    plants: tuple[str, ...]
    self_test: bool
    binary: pathlib.Path

    def arguments(self) -> list[str]:
        """Returns the command line that stands for these options."""
        line = [f"--kills={self.kills}", f"--children={self.children}", f"--seed={self.seed}", f"--seconds={self.seconds}"]
        line += ["--keep"] if self.keep else []
        line += ["--self-test"] if self.self_test else []
        line += [f"--plant={plant}" for plant in self.plants]
        return line + [str(self.binary)]


class _Parser(argparse.ArgumentParser):
    """A parser with the exit status that the other tools have for wrong arguments."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(64, f"Tools/chaos: {message}; see Tools/chaos --help.\n")


def parse(line: list[str]) -> Options:
    """Reads a command line, and ends the program with a sentence if it is wrong."""
    parser = _Parser(
        prog="Tools/chaos",
        description="Runs a family of real nodes through random crashes and accounts for everything that they accepted.",
        epilog="Exit status: 0 all accounted for, 1 something is unaccounted for, 64 wrong options, 69 not possible here.",
    )
    parser.add_argument("--kills", type=int, help="how often a node is killed with SIGKILL (default 100)")
    parser.add_argument("--children", type=int, default=6, help="how many children there are, 4 to 16 (default 6)")
    parser.add_argument("--seed", type=int, help="the seed of all random decisions (default random; it is printed)")
    parser.add_argument("--seconds", type=int, default=600, help="the longest that the kills may take (default 600)")
    parser.add_argument("--keep", action="store_true", help="keep the folder with databases and logs")
    parser.add_argument("--plant", action="append", default=[], choices=sorted(PLANTS), metavar="FAULT",
                        help="falsify what was observed before it is accounted for: " + ", ".join(sorted(PLANTS)))
    parser.add_argument("--self-test", action="store_true",
                        help="make a short run, plant each fault in turn, and show that each is caught")
    parser.add_argument("binary", nargs="?", type=pathlib.Path, default=DEFAULT_BINARY,
                        help="the built program (default .build/debug/latchkey)")
    given = parser.parse_args(line)
    kills = given.kills if given.kills is not None else (30 if given.self_test else 100)
    if not 0 <= kills <= 100_000:
        parser.error("give --kills a number from 0 to 100000")
    if not 4 <= given.children <= 16:
        parser.error("give --children a number from 4 to 16: one is restored, one copied, one on a small disk")
    if given.seconds < 1:
        parser.error("give --seconds a number of at least 1")
    if not given.binary.is_file():
        parser.error(f"there is no program at {given.binary}: build it with `swift build --product latchkey`")
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(1, 1_000_000)
    return Options(kills, given.children, seed, given.seconds, given.keep, tuple(given.plant), given.self_test,
                   given.binary.resolve())
