"""Run scenarios of households: `household PATH-OF-LATCHKEY [SCENARIO …]`."""

import os
import signal
import sys
import time

from .lab import Failed, Lab
from .scenario_child import child_of_a_real_parent
from .scenario_decisions import decides_like_a_real_child
from .scenario_learning import learning_at_once_earns_once
from .scenario_parent import parent_beside_a_real_parent, parent_of_real_children
from .scenario_refused import what_a_child_refuses, what_a_parent_refuses
from .scenario_shared import shares_an_account

_ALL = (
    child_of_a_real_parent, parent_of_real_children, parent_beside_a_real_parent,
    what_a_parent_refuses, what_a_child_refuses, decides_like_a_real_child,
    learning_at_once_earns_once, shares_an_account,
)  # fmt: skip


def _main() -> int:
    known = {scenario.__name__: scenario for scenario in _ALL}
    names = sys.argv[2:] or list(known)
    if len(sys.argv) < 2 or not set(names) <= known.keys():
        print(f"Give the path of latchkey, and perhaps scenarios: {', '.join(known)}.", file=sys.stderr)
        return 64
    if os.getuid() == 0:
        print("Nodes run as an ordinary user: start this again with Tools/as-user.", file=sys.stderr)
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for name in names:
        began = time.monotonic()
        try:
            with Lab(os.path.abspath(sys.argv[1])) as lab:
                known[name](lab)
        except Failed as failed:
            print(f"{name}: {failed}", file=sys.stderr)
            return 1
        print(f"{name}: as the specification says ({time.monotonic() - began:.1f} s)", flush=True)
    return 0


sys.exit(_main())
