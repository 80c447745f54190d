"""The points of a child on its own machine: use, leases, and requests of parents to its purse.

Spec: Protocol/11-rules.md sections 6 and 7, Protocol/12-facts.md section 6
"""

import os
from datetime import date, timedelta

from . import ledger, repeats, use
from .days import Days
from .facts import Fact
from .faults import NoRoom
from .household import Household
from .texts import day, is_line, require

_MINUTE = 60_000
_EARNINGS = {"earned", "reviewed", "repeated"}


class Points:
    """The ledger entries of a child's machine; each method needs a transaction."""

    def __init__(self, household: Household):
        self._household, self._store = household, household.store
        self.in_touch: set[bytes] = set()  # parents with a session that is up

    # Use

    def of_session(self, child: bytes, record, is_beside_reward: bool) -> int:
        """Write what a session earns or costs; return what a learning session earned."""
        rules = self._household.rules(child)
        stretch, active = use.of_record(record), record.active_milliseconds
        day_ = rules.days.day(stretch.start)
        if rules["mode"] != "points" or stretch.category == "neutral" or active == 0:
            return 0
        if stretch.category == "reward" and rules["points/use"] == "redeemFirst":
            self._write(child, "used", record.record_id, 0, day=day_, quantity=active)
            return 0
        if record.milli_points_per_minute == 0:
            return 0
        if stretch.category == "reward":
            cost = self._carried(child, record, stretch, rules.days)
            self._write(child, "spent", record.record_id, -min(cost, self._household.purse(child)), day=day_)
            return 0
        if active < rules.number("points/minimumSession") * _MINUTE:
            return 0
        amount = self._carried(child, record, stretch, rules.days)
        if is_beside_reward:
            more = {"quantity": amount, "hold": "rewardBeside"}
            self._write(child, "held", record.record_id, 0, day=day_, **more)
            return 0
        span = {"at": stretch.start, "quantity": active}
        return self._earn(child, "earned", record.record_id, amount, day_, **span)

    def _carried(self, child: bytes, record, stretch: use.Stretch, days: Days) -> int:
        """Return whole milli-points for a session; the remainders are kept for its application and
        each of its days.
        """
        whole, rate = 0, record.milli_points_per_minute
        for day_, start, end in use.parts(stretch, days):
            place = child, record.app_id, record.category, day_.isoformat()
            row = self._store.one("select rest from carry where child=? and app=? and category=? and day=?", *place)
            total = (row[0] if row else 0) + (end - start) * rate
            # Learning is rounded down and a cost up: an overpaid amount is a negative remainder.
            part = total // _MINUTE if stretch.category == "learning" else max(0, -(-total // _MINUTE))
            rest = total - part * _MINUTE
            self._store.run("insert or replace into carry values(?,?,?,?,?)", *place, rest)
            whole += part
        return whole

    def _earn(self, child: bytes, kind: str, source: bytes, amount: int, on: date, **more) -> int:
        """Write what was earned, limited by the caps of its day and its week."""
        rules, monday = self._household.rules(child), on - timedelta(on.weekday())
        spans = ("points/dailyCap", on, on), ("points/weeklyCap", monday, monday + timedelta(6))
        for key, first, last in spans:
            if (cap := rules.number(key)) is not None:
                earned = sum(entry.amount for entry in self._household.entries(child)
                             if entry.kind in _EARNINGS and first <= entry.day <= last)  # fmt: skip
                amount = max(0, min(amount, cap - earned))
        self._write(child, kind, source, amount, day=on, **more)
        return amount

    def repay(self, child: bytes) -> None:
        """Give back, as far as the purse allows, what another machine earned at the same time."""
        household = self._household
        for entry in list(repeats.due(household.entries(child), household.own, household.clock.time())):
            household.enter(child, entry)

    def _write(self, child: bytes, kind: str, source: bytes, amount: int, **more) -> ledger.Entry:
        return self._household.write(child, kind, source, amount, **more)

    # Requests of parents to the purse

    def take(self, command: bytes, asked) -> int:
        """Take at most what the purse holds; return how many points."""
        require(asked.child in self._household.children(), "child, who is not this machine's,")
        require(0 < asked.milli_points <= 10**15 and is_line(asked.reason, 1, 1_024), "number of points or reason")
        taken = min(asked.milli_points, self._household.purse(asked.child))
        self._write(asked.child, "adjusted", command, -taken, day=day(asked.day), note=asked.reason)
        return taken

    def review(self, asked) -> tuple[int, bool]:
        """Decide about held learning; return what it earned, and whether this decision was the
        first.
        """
        require(asked.child in self._household.children(), "child, who is not this machine's,")
        own = [entry for entry in self._household.entries(asked.child)
               if (entry.purse, entry.source) == (self._household.own, asked.record)]  # fmt: skip
        for entry in own:
            if entry.kind == "reviewed":
                return entry.amount, False
        held = [entry for entry in own if entry.kind == "held"]
        require(bool(held), "learning, which is not held here,")
        quantity = held[0].quantity if asked.is_approved else 0
        return self._earn(asked.child, "reviewed", asked.record, quantity, held[0].day), True

    # Leases

    def _parents(self, child: bytes) -> list[Fact]:
        """Return the statements of parents about the child's machines that name this machine among
        several.
        """
        own = self._household.own
        found = self._household.facts(child, "machines")
        return [fact for fact in found if own in fact.said and set(fact.said) - {own}]

    def spendable(self, child: bytes) -> int:
        """Return the points of this machine's purse, and of the connected parents that lend to it.
        """
        lenders = {fact.author for fact in self._household.facts(child, "machines") if self._household.own in fact.said}
        return sum(self._household.purse(child, device) for device in {self._household.own, *(lenders & self.in_touch)})

    def settle(self, child: bytes, is_reward_running: bool) -> None:
        """State whether points are wanted here; return the purse if they are not."""
        household = self._household
        self.expire(child)
        self.repay(child)
        several = self._parents(child)
        is_wanted = is_reward_running or repeats.owes(household.entries(child), household.own)
        if several:
            said = [fact for fact in household.facts(child, "need") if fact.author == household.own]
            if [fact.said[0] for fact in said] != [is_wanted] and (said or is_wanted):
                wall, counter, device = household.clock.stamp(after=said[0].at if said else ())
                word = "yes" if is_wanted else "no"
                household.make(child, "need", f"{device.hex()} {wall} {counter} {word}")
        near = [fact for fact in several if fact.author in self.in_touch]
        if near and not is_wanted and (purse := household.purse(child)):
            named = min(near, key=lambda fact: fact.author)
            household.send_facts(named.author, {child: [named]})  # a restored parent may not know its last statement
            self._write(child, "leased", os.urandom(16), -purse, other=named.author)

    def redeem(self, child: bytes, milli_points: int) -> ledger.Entry:
        """Change points into time for rewards."""
        rules, today = self._household.rules(child), self._household.day()
        if rules["mode"] != "points" or rules["points/use"] != "redeemFirst":
            raise NoRoom("This family does not redeem points: they are paid as rewards are used.")
        bought = milli_points * rules.number("points/minutesPerPoint") * 60
        last = today + timedelta(rules.number("points/redemptionDays") - 1)
        return self._write(child, "redeemed", os.urandom(16), -milli_points, quantity=bought, last_day=last)

    def redeemed(self, child: bytes) -> list[tuple[int, date]]:
        """Return the rest of each redemption on this machine that is valid today, with its last
        day.
        """
        today = self._household.day()
        found = ledger.redemptions(self._household.entries(child), self._household.own)
        return [(left, entry.last_day) for entry, left in found if left and entry.day <= today <= entry.last_day]

    def refund(self, child: bytes) -> None:
        """Change the rest of redeemed time back into points, at the rate at which it was bought."""
        today = self._household.day()
        for entry, left in ledger.redemptions(self._household.entries(child), self._household.own):
            if left and entry.last_day >= today:
                amount = -entry.amount * left // entry.quantity
                self._write(child, "refunded", entry.source, amount, quantity=left)
        self.repay(child)

    def expire(self, child: bytes) -> None:
        """Mark the rest of redemptions that have expired."""
        today = self._household.day()
        for entry, left in ledger.redemptions(self._household.entries(child), self._household.own):
            if left and entry.last_day < today:
                self._write(child, "expired", entry.source, 0, quantity=left)
