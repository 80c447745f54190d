"""A run: load and kills in random order, then the end of everything, and the accounting."""
import pathlib
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import plants
import report
from accounting import account
from family import Family
from ledger import Ledger, now
from node import Node
from observation import observe
from options import Options
from orders import Orders
from scenarios import Scenarios
from settle import settle
from use import Use

# The most nodes that may be down at the same time.
_MOST_DOWN = 3


class Run:
    """The part of a run in which nodes are killed."""

    def __init__(self, options: Options, work: pathlib.Path) -> None:
        self.options = options
        self.chance = random.Random(options.seed)
        self.ledger = Ledger()
        self.family = Family(options.binary, work, options.children, self.ledger)
        self._threads = ThreadPoolExecutor(8)
        self.orders = Orders(self.family, self.ledger, self.chance, self._threads)
        self.use = Use(self.family, self.ledger, self.chance, self._threads)
        self.scenarios = Scenarios(self.family, self.ledger, self.orders, self.use)
        self._due: dict[str, float] = {}

    def shake(self) -> None:
        """Gives work and kills nodes until there are enough kills or time is up."""
        deadline = time.monotonic() + self.options.seconds
        plan = self._plan()
        while self.ledger.kill_count < self.options.kills and time.monotonic() < deadline:
            self._revive()
            self.use.reap()
            while plan and self.ledger.kill_count >= plan[0][0]:
                plan.pop(0)[1]()
            self._act()
        for _, step in plan:
            step()

    def end(self) -> None:
        """Ends every process that this has started."""
        # The nodes end first: no request is answered any more, so no thread keeps waiting.
        self.family.end()
        self._threads.shutdown(wait=True, cancel_futures=True)
        self.use.end()

    def _plan(self) -> list[tuple[float, Callable[[], None]]]:
        """Returns the actions on the special children, each with the number of kills before it."""
        kills, do = self.options.kills, self.scenarios
        # The crowd comes first, since no item that was ever sent can be merged into a total.
        shares = ((0.0, do.crowd), (0.1, do.leave), (0.15, do.back_up), (0.2, do.fill), (0.25, do.restart_full),
                  (0.3, do.make_room), (0.4, do.restore), (0.5, do.fill), (0.58, do.restart_full), (0.65, do.make_room),
                  (0.7, do.copy))
        return [(share * kills, step) for share, step in shares]

    def _act(self) -> None:
        """Performs one random action."""
        chance, orders, use = self.chance, self.orders, self.use
        child = self.family.children[chance.choice(list(self.family.children))]
        if self.scenarios.is_full and chance.random() < 0.4:
            child = self.family.children[self.family.small]
            if chance.random() < 0.3:
                self.scenarios.fill()
        choice = chance.choices(
            ("burst", "kill in a burst", "session", "kill in a use burst", "end", "wrong", "track", "cancel", "kill", "stop",
             "pause", "kill an agent"), (20, 9, 16, 4, 16, 2, 6, 8, 3, 2, 14, 8))[0]
        if "burst" in choice and not self.family.parent.is_running and chance.random() < 0.9:
            choice = "session"
        match choice:
            case "burst":
                wait(orders.burst(chance.randrange(1, 9), chance.choice([None, child.name])))
            case "kill in a burst":
                self._kill_in(orders.burst(chance.randrange(2, 13), chance.choice([None, child.name])),
                              chance.choice([child, self.family.parent]), "a burst of commands")
            case "kill in a use burst":
                self._kill_in(use.burst(child, chance.randrange(1, 5)), child, "a burst of use")
            case "session":
                begun = use.begin_session(child)
                if begun is not None and begun.record_id is not None and chance.random() < 0.1:
                    self._kill(child, "right after a session was accepted")
            case "end":
                use.end_session()
            case "wrong":
                use.wrong_session(child)
            case "track":
                use.track(child)
            case "cancel":
                orders.cancel({node.name for node in self.family if not node.is_running})
            case "kill":
                self._kill(chance.choice([child, self.family.parent]), "with nothing asked of it")
            case "kill an agent":
                self._kill_agent(child)
            case "stop":
                chance.choice([child, self.family.parent]).stop()
            case "pause":
                time.sleep(chance.uniform(0.02, 0.6))

    def _kill_in(self, futures: "list[Future[None]]", victim: Node, work: str) -> None:
        """Kills a node during a request, or right after the first answer."""
        if self.chance.random() < 0.5:
            wait(futures, return_when=FIRST_COMPLETED)
            moment = f"right after the first answer in {work}"
        else:
            time.sleep(self.chance.uniform(0, 0.06))
            moment = f"in the middle of {work}"
        self._kill(victim, moment)
        wait(futures)

    def _kill(self, node: Node, moment: str) -> None:
        if not node.is_running or len(self._due) >= _MOST_DOWN:
            return
        node.kill()
        self.ledger.killed(node.name, moment)
        # A child may be away for so long that commands expire, are replaced or are cancelled.
        self._due[node.name] = now() + self.chance.choice((0.0, 0.05, 0.3, 1.2) + ((5.0,) if node.role == "child" else ()))
        if self.chance.random() < 0.15:
            # The node is killed again while it starts.
            node.launch()
            time.sleep(self.chance.uniform(0.005, 0.15))
            if node.is_running:
                node.kill()
                self.ledger.killed(node.name, "while it starts")

    def _kill_agent(self, node: Node) -> None:
        """Kills the agent of a child's node; the node has to start it again."""
        agent = node.agent() if node.is_running else None
        if agent is not None and node.kill_agent(agent):
            self.ledger.agent_killed(node.name)

    def _revive(self) -> None:
        """Starts the nodes whose time has come."""
        for node in self.family:
            if node.is_running:
                self._due.pop(node.name, None)
            elif self._due.get(node.name, 0) <= now():
                self._due.pop(node.name, None)
                self.scenarios.start(node)


def make(options: Options, work: pathlib.Path) -> int:
    """Performs a run, and returns the exit status: 0 if everything is accounted for."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    print(f"chaos: seed {options.seed}, {options.kills} kills, a parent and {options.children} children, "
          f"{options.binary}", flush=True)
    run = Run(options, work)
    try:
        run.family.begin()
        print(f"chaos: all paired after {now():.1f} s; {run.family.restored} will be restored, {run.family.copied} copied, "
              f"{run.family.small} is on a disk of 12 MB", flush=True)
        run.shake()
        kills = f"{run.ledger.kill_count} kills of nodes and {run.ledger.agent_kill_count} of agents"
        print(f"chaos: {kills} after {now():.1f} s; waiting for everything to settle", flush=True)
        facts = settle(run.family, run.ledger, run.use, run.scenarios)
        print(f"chaos: settled after {now():.1f} s", flush=True)
        seen = observe(run.family, facts)
        if options.self_test:
            return plants.self_test(run.ledger, seen, options.seed)
        for name in options.plants:
            print(f"chaos: planted: {plants.plant(name, run.ledger, seen, options.seed)}")
        return report.show(run.ledger, account(run.ledger, seen), options)
    except (RuntimeError, OSError) as error:
        traceback.print_exc()
        for what, details in run.ledger.findings.items():
            print(f"chaos: found: {what}: {details[0]}")
        print(f"chaos: seed {options.seed}, broken off: {error}", file=sys.stderr)
        return 1
    finally:
        # No signal may interrupt the end.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        run.end()
