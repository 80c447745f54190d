"""The command line: join and sync.

It writes what happens to standard output, one JSON object a line.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from . import code, discovery
from .child import Child
from .faults import BrokenRule, Lost, Outcome
from .frames import now
from .identity import safe_name
from .pairing import Joiner
from .session import Session, call
from .store import Peer, Store
from .streams import QueueFull
from .texts import is_word

_SEARCH_SECONDS = 8.0


def _say(event: str, **fields) -> None:
    print(json.dumps({"event": event, **fields}, ensure_ascii=False), flush=True)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 1 <= int(port) <= 65_535:
        raise argparse.ArgumentTypeError("give an address as host:port")
    return host.strip("[]"), int(port)


def _text(address: tuple[str, int]) -> str:
    return f"[{address[0]}]:{address[1]}" if ":" in address[0] else f"{address[0]}:{address[1]}"


def _inviters(entered: code.Code, options) -> Iterator[tuple[str, int]]:
    """Yield the addresses at which the inviter may be, each once.

    Spec: Protocol/02-discovery.md section 8
    """
    if options.peer:
        yield options.peer
        return
    tried = set()
    if entered.address:
        tried.add(entered.address)
        yield entered.address
    for told in discovery.search(options.interfaces, _SEARCH_SECONDS):
        for address in told.addresses if entered.discriminator in told.discriminators else ():
            if address not in tried:
                tried.add(address)
                yield address


def join(options) -> int:
    """Join with the code on standard input."""
    entered = code.read(sys.stdin.readline())
    store = Store(options.folder, options.name and safe_name(options.name))
    Child(store)  # which sends a new parent what this machine holds
    last = Outcome("not-found")
    for address in _inviters(entered, options):
        joiner = Joiner(store, entered, not options.yes, _say)
        try:
            peer = joiner.run(address)
        except Lost:
            continue
        except Outcome as outcome:
            last = outcome
            if joiner.verified:
                break
            continue
        if address in (options.peer, entered.address):  # and not an address that was only found
            store.remember(peer, given=_text(address))
        return 0
    paired = [code.commitment(peer.identity_key, peer.link_key) for peer in store.peers() if peer.key is not None]
    if last.word == "expired" and entered.commitment in paired:
        raise Outcome("already-paired")
    raise last


def _parents(store: Store, peer: Peer, options) -> Iterator[tuple[str, int]]:
    """Yield the addresses at which a known device may be."""
    if options.peer:
        yield options.peer
        return
    tried = set(map(_address, peer.addresses))
    yield from tried
    for told in discovery.search(options.interfaces, _SEARCH_SECONDS):
        for address in told.addresses if told.is_of(peer.id, store.discovery_keys) else ():
            if address not in tried:
                tried.add(address)
                yield address


def _open(store: Store, machine: Child, options) -> tuple[Session, Peer] | None:
    """Open a session with the parent, trying the key of a pending pairing first; return None if it
    is not there.
    """
    peers = store.peers()
    if not peers:
        raise SystemExit("This machine is paired with nobody: run join first.")
    peer = peers[0]
    for address in _parents(store, peer, options):
        for key in peer.keys:
            try:
                session = call(store, peer, key, address, machine, _say)
            except (Lost, BrokenRule) as error:
                _say("not-there", address=_text(address), why=str(error))
                continue
            store.remember(peer.id, last=_text(address))
            if key == peer.pending_key and store.promote(peer.id):
                _say("completed", name=peer.name)
            return session, peer
    return None


def sync(options) -> int:
    """Send what is pending, execute commands, say goodbye; try again until the deadline."""
    store = Store(options.folder)
    machine = Child(store)
    for app_id, minutes in options.usage:
        _say("usage", id=machine.use(app_id, minutes).hex(), app=app_id, minutes=minutes)
    deadline, failed, commands = now() + options.seconds, 0, 0
    while now() < deadline:
        opened = _open(store, machine, options)
        if opened is not None:
            session, peer = opened
            wanted, delivery = options.commands - commands, session.delivery

            def done(delivery=delivery, wanted=wanted) -> bool:
                return delivery.commands >= wanted and delivery.is_level

            try:
                if session.run(deadline, done):
                    return 77 if delivery.removed else 0
            except (Lost, BrokenRule) as error:
                _say("ended", why=str(error))
            commands += delivery.commands
            failed = 0 if delivery.greeted else failed
        pause = min(1.5**failed, 60) * (0.5 + 0.5 * random.random())
        failed += 1
        time.sleep(max(0.0, min(pause, deadline - now())))
    print("Not everything was exchanged in time: check that the parent's machine runs, then run sync again.",
          file=sys.stderr)  # fmt: skip
    return 75


def _usage(text: str) -> tuple[str, int]:
    app_id, _, minutes = text.rpartition(":")
    if not is_word(app_id) or not minutes.isdigit() or len(minutes) > 7:
        raise argparse.ArgumentTypeError("give a use as app-id:minutes")
    return app_id, int(minutes)


def _main() -> int:
    parser = argparse.ArgumentParser(prog="run", description="A second implementation of Latchkey's protocol: a child.")
    actions = parser.add_subparsers(dest="action", required=True)
    for action in ("join", "sync"):
        sub = actions.add_parser(action, help=globals()[action].__doc__)
        sub.add_argument("--folder", type=Path, required=True, help="where the state is kept")
        sub.add_argument("--peer", type=_address, help="the parent's host:port; mDNS is then not used")
        sub.add_argument("--interfaces", type=lambda text: text.split(","), help="look on these interfaces alone")
        if action == "join":
            sub.add_argument("--name", help="what people call this machine")
            sub.add_argument("--yes", action="store_true", help="do not ask whether the digits are the same")
        else:
            sub.add_argument("--usage", type=_usage, action="append", default=[], help="record app-id:minutes first")
            sub.add_argument("--commands", type=int, default=0, help="wait for this many commands")
            sub.add_argument("--seconds", type=float, default=60, help="give up after this time")
    options = parser.parse_args()
    try:
        return {"join": join, "sync": sync}[options.action](options)
    except QueueFull as full:
        print(full, file=sys.stderr)
        return 75
    except KeyboardInterrupt:
        print("Stopped; what was stored stays, and the next sync goes on from there.", file=sys.stderr)
        return 130
    except Outcome as outcome:
        _say("failed", outcome=outcome.word)
        print(outcome, file=sys.stderr)
        return 65 if outcome.word in ("empty", "foreign", "truncated", "length", "typo", "newer") else 69


if __name__ == "__main__":
    sys.exit(_main())
