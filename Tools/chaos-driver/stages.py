"""The stages from the command line to a run.

1. If root starts the program, it restarts itself as an ordinary user.
2. The ordinary user creates a temporary folder, starts stage 3 and waits. The folder is removed in
   any case.
3. In its own user, mount and network namespaces, stage 3 mounts the small disk and enables loopback.
4. In one more user namespace, it is the ordinary user again, without any capability, and performs
   the run. Disk and network end with the last process in the namespaces.
"""
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile

import confinement
import run
from options import Options, parse

SMALL_DISK_MEBIBYTES = 12
STAGE = "LATCHKEY_CHAOS_STAGE"


def main(program: pathlib.Path) -> int:
    """Runs the stage that the environment names, and returns the exit status."""
    options = parse(sys.argv[1:])
    stage, parent, work = (os.environ.pop(STAGE, "user") + "::").split(":")[:3]
    if stage == "spaces":
        return _in_spaces(program, options, parent, work)
    if stage == "run":
        confinement.end_with_parent(int(parent))
        return run.make(options, pathlib.Path(work))
    if os.geteuid() == 0:
        return _as_user(program, options)
    return _in_folder(program, options)


def _again(program: pathlib.Path, options: Options) -> list[str]:
    # By name, since the interpreter of root may be in a folder that is closed to others.
    return ["/usr/bin/env", "python3", str(program), *options.arguments()]


def _as_user(program: pathlib.Path, options: Options) -> int:
    """Replaces this process by the same program as an ordinary user."""
    again = _again(program, options)
    try:
        pwd.getpwnam("latchkey-test")
    except KeyError:
        nobody = pwd.getpwuid(65534)
        os.execvp("setpriv", ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups",
                              "--inh-caps=-all", "--bounding-set=-all", "--", *again])
    wrapper = str(program.parent / "as-user")
    os.execv(wrapper, [wrapper, *again])


def _in_folder(program: pathlib.Path, options: Options) -> int:
    """Creates the folder, continues in a process of its own, and removes the folder."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="latchkey-chaos."))
    child: subprocess.Popen[bytes] | None = None

    def pass_on(number: int, _: object) -> None:
        if child is not None and child.poll() is None:
            child.send_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)
    try:
        (work / "small").mkdir()
        environment = dict(os.environ, **{STAGE: f"spaces:{os.getpid()}:{work}"})
        # In its own process group, a terminal's Ctrl-C reaches it once, through this process.
        child = subprocess.Popen(["unshare", "--user", "--map-root-user", "--mount", "--net", *_again(program, options)],
                                 env=environment, process_group=0)
        status = child.wait()
        return status if status >= 0 else 128 - status
    finally:
        if options.keep:
            print(f"chaos: databases and logs are kept in {work}")
        else:
            shutil.rmtree(work, ignore_errors=True)


def _in_spaces(program: pathlib.Path, options: Options, parent: str, work: str) -> int:
    """Mounts the small disk, enables loopback, and replaces this process by the run."""
    user, group = (int(pathlib.Path(f"/proc/self/{kind}_map").read_text().split()[1]) for kind in ("uid", "gid"))
    for step in (["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK_MEBIBYTES}m,mode=0700", "none", f"{work}/small"],
                 ["ip", "link", "set", "lo", "up"], ["ip", "link", "set", "lo", "multicast", "on"]):
        try:
            subprocess.run(step, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"chaos: {' '.join(step)} is not possible here ({error}): allow user namespaces to this user, and "
                  "install util-linux and iproute2.", file=sys.stderr)
            return 69
    os.environ[STAGE] = f"run:{parent}:{work}"
    os.execvp("unshare", ["unshare", "--user", f"--map-user={user}", f"--map-group={group}", *_again(program, options)])
