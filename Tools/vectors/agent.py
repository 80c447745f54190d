"""Frames between a node and its agent, and the application of each process: Protocol/13-agent.md.
"""

import binascii
import struct

FILE = "agent.json"
NEVER = 2**64 - 1
CATEGORIES = {"learning": 1, "reward": 2, "neutral": 3}
KINDS = {"sha256": 1, "package": 2, "flatpak": 3, "argument": 4, "path": 5, "name": 6, "snap": 7}
STEPS = {"close": 1, "pause": 2}
DEEDS = {"asked": 1, "killed": 2, "paused": 3}
FAULTS = {"noAccount": 1, "otherAccount": 2, "matchesEverything": 3, "neededProgram": 4, "badMatcher": 5, "cannotPause": 6,
          "cannotCloseSession": 7, "tooLarge": 8, "notKept": 9, "noProgram": 10, "sharedMatcher": 11, "notLocked": 12}
SESSION_STEPS = {"close": 1, "lock": 2, "lockUnlessAllowed": 3}
SCREEN_SOURCES = {"programs": 0, "sessions": 1, "sessionsWithoutLearning": 2}
BOOT = "7a4b1d5e-90b2-4c83-a1f0-5d3c6a7b8c9d"


def text(value):
    raw = value.encode()
    return struct.pack(">H", len(raw)) + raw


def boot(value):
    raw = value.encode()
    return struct.pack(">B", len(raw)) + raw


def frame(kind, body):
    return b"LA" + struct.pack(">BBI", 1, kind, len(body)) + body


def terms(value):
    closes = NEVER if value["closesAt"] is None else value["closesAt"]
    body = struct.pack(">QBQB", closes, STEPS[value["step"]], value["grace"], len(value["warnings"]))
    return body + b"".join(struct.pack(">Q", warning) for warning in value["warnings"]) + text(value["reason"])


def session_terms(value):
    closes, opens = (NEVER if value[name] is None else value[name] for name in ("closesAt", "opensAt"))
    body = struct.pack(">BQQB", SESSION_STEPS[value["step"]], closes, opens, len(value["warnings"]))
    return body + b"".join(struct.pack(">Q", warning) for warning in value["warnings"]) + text(value["reason"])


def matcher(value):
    return struct.pack(">B", KINDS[value["kind"]]) + text(value["value"])


def program(value):
    body = text(value["app"]) + struct.pack(">BBB", CATEGORIES[value["category"]], value["isAlwaysAllowed"], value["countsLaunches"])
    body += terms(value["terms"]) + struct.pack(">H", len(value["matchers"]))
    body += b"".join(matcher(one) for one in value["matchers"])
    processes = value.get("processes", [])
    return body + struct.pack(">H", len(processes)) + b"".join(
        struct.pack(">IQ", one["processID"], one["startTime"]) for one in processes)


def account(value):
    body = struct.pack(">I", value["account"]) + text(value["name"]) + text(value["home"])
    body += struct.pack(">BQ", SCREEN_SOURCES[value["screen"]["source"]], value["screen"]["grace"])
    for part, write in (("sessions", session_terms), ("unknown", terms)):
        body += struct.pack(">B", value[part] is not None)
        if value[part] is not None:
            body += write(value[part])
    return body + struct.pack(">H", len(value["programs"])) + b"".join(program(one) for one in value["programs"])


def orders(value):
    body = struct.pack(">Q", value["number"]) + boot(value["boot"]) + struct.pack(">QH", value["at"], len(value["accounts"]))
    return frame(3, body + b"".join(account(one) for one in value["accounts"]))


def use(value):
    return (struct.pack(">I", value["account"]) + text(value["app"] or "")
            + struct.pack(">BIQ", value["isWeak"], value["processID"], value["startTime"]))


def report(value):
    event, body = value["event"], struct.pack(">QQ", value["number"], value["at"])
    if event == "began":
        body += b"\1" + use(value["use"]) + struct.pack(">QQ", value["since"], value["activity"])
    elif event in ("active", "ended"):
        body += (b"\2" if event == "active" else b"\3") + use(value["use"])
        body += struct.pack(">QQ", value["milliseconds"], value["activity"])
    elif event == "closed":
        body += b"\4" + use(value["use"]) + struct.pack(">B", DEEDS[value["deed"]]) + text(value["reason"])
        body += struct.pack(">B", len(value["matchers"])) + b"".join(matcher(one) for one in value["matchers"])
    elif event == "warned":
        body += b"\5" + struct.pack(">I", value["account"]) + text(value["app"] or "") + struct.pack(">Q", value["milliseconds"])
    elif event == "inForce":
        body += b"\6" + struct.pack(">Q", value["orders"])
    elif event == "refused":
        body += b"\7" + struct.pack(">QBI", value["orders"], FAULTS[value["fault"]], value["account"])
        body += text(value["app"] or "") + text(value["detail"])
    elif event == "rescanned":
        body += b"\10"
    elif event == "clockSet":
        body += b"\11" + struct.pack(">BQ", value["milliseconds"] < 0, abs(value["milliseconds"]))
    elif event == "slept":
        body += b"\12" + struct.pack(">Q", value["milliseconds"])
    elif event == "ordersDamaged":
        body += b"\13" + struct.pack(">B", value["hasOlder"])
    elif event in ("dropped", "letThrough"):
        body += (b"\14" if event == "dropped" else b"\17") + struct.pack(">Q", value["count"])
    elif event == "sessionsClosed":
        body += b"\15" + struct.pack(">IB", value["account"], value["areEnded"]) + text(value["reason"])
    elif event == "logInRefused":
        body += b"\16" + struct.pack(">I", value["account"]) + text(value["reason"])
    elif event == "sessionsWarned":
        body += b"\20" + struct.pack(">IQ", value["account"], value["milliseconds"]) + text(value["reason"])
    elif event == "senses":
        body += b"\21" + struct.pack(">BB", value["hasSessions"], value["hasInput"])
    elif event == "unreadable":
        body += b"\22" + struct.pack(">IQ", value["account"], value["count"])
    elif event == "screenTime":
        body += b"\23" + struct.pack(">IQ", value["account"], value["milliseconds"])
    return frame(4, body)


def question(account):
    return struct.pack(">2sHI", b"LG", 1, account)


def answer(may, why):
    return struct.pack(">2sHB", b"LG", 1, may) + text(why)


def glob(pattern, string):
    """Whether the whole string matches, character by character of its bytes."""
    reach = {0}
    for byte in [None, *string.encode()]:
        stepped = set() if byte is not None else reach
        if byte is not None:
            for place in reach:
                if place < len(pattern) and pattern[place] == 0x2A:
                    stepped.add(place)
                elif place < len(pattern) and pattern[place] in (0x3F, byte):
                    stepped.add(place + 1)
        todo = list(stepped)
        for place in todo:
            if place < len(pattern) and pattern[place] == 0x2A and place + 1 not in stepped:
                stepped.add(place + 1)
                todo.append(place + 1)
        reach = stepped
    return len(pattern) in reach


def match(programs, process):
    own, others = process["images"][:1], process["images"][1:]
    names = {process["name"]} | {image["path"].split("/")[-1] for image in process["images"]}

    def found(kind, test):
        for one in programs:
            if any(matcher["kind"] == kind and test(matcher["value"]) for matcher in one["matchers"]):
                return one["app"]

    def by_file(images):
        for image in images:
            app = (found("sha256", lambda value: image["sha256"] == value)
                   or found("package", lambda value: value in image["packages"]))
            if app:
                return app

    flatpak = found("flatpak", lambda value: process["flatpak"] == value)
    def by_snap(images):
        return next((app for image in images if (app := found("snap", lambda value: image["snap"] == value))), None)

    strong = by_file(own) or (flatpak if process["isGenuineFlatpak"] else None) or by_snap(own)
    if strong:
        return {"app": strong, "isWeak": False}
    weak = (by_file(others) or flatpak
            or found("argument", lambda value: process["hasMoreArguments"] or glob(b"*" + value.encode() + b"*", process["arguments"]))
            or found("path", lambda value: any(image["path"] == value for image in process["images"]))
            or found("name", lambda value: value in names)
            or by_snap(others))
    return {"app": weak, "isWeak": True} if weak else None


def no_terms(closes=None, reason="", warnings=(), step="close", grace=5_000):
    return {"closesAt": closes, "step": step, "grace": grace, "warnings": list(warnings), "reason": reason}


def screen(source="sessions", grace=3_600_000):
    return {"source": source, "grace": grace}


def sessions(closes=None, opens=None, reason="", warnings=(), step="close"):
    return {"step": step, "closesAt": closes, "opensAt": opens, "warnings": list(warnings), "reason": reason}


CHESS = {
    "app": "org.gnome.Chess", "category": "reward", "isAlwaysAllowed": False, "countsLaunches": True,
    "terms": no_terms(9_000_000, "30 min of Chess a day", [8_100_000, 8_700_000, 8_940_000]),
    "matchers": [{"kind": "sha256", "value": "ab" * 32}, {"kind": "path", "value": "/usr/games/gnome-chess"}]}
CRAFT = {
    "app": "net.craft", "category": "reward", "isAlwaysAllowed": False, "countsLaunches": False, "terms": no_terms(0, "Craft is blocked", grace=300_000),
    "matchers": [{"kind": "argument", "value": "java*craft.jar"}, {"kind": "name", "value": "craft"}]}
MATH = {
    "app": "tuxmath", "category": "learning", "isAlwaysAllowed": True, "countsLaunches": True, "terms": no_terms(),
    "matchers": [{"kind": "package", "value": "tuxmath"}, {"kind": "flatpak", "value": "org.tux.Math"},
                 {"kind": "snap", "value": "tux-math"}]}
ORDERS = [
    {"number": 1, "boot": BOOT, "at": 5_000, "accounts": []},
    {"number": 2**40, "boot": BOOT, "at": 6_000_000, "accounts": [
        {"account": 1000, "name": "emma", "home": "/home/emma", "screen": screen(), "sessions": None, "unknown": None, "programs": [CRAFT, CHESS, MATH]},
        {"account": 1001, "name": "", "home": "", "screen": screen("programs", 300_000), "sessions": sessions(5_900_000, 41_900_000, "bedtime until 07:00"),
         "unknown": no_terms(0, "unknown programs are blocked"), "programs": []},
        {"account": 1002, "name": "tom", "home": "/srv/home/tom",
         "screen": screen("sessionsWithoutLearning", 14_400_000),
         "sessions": sessions(5_900_000, None, "locked by a parent", [5_000_000], "lockUnlessAllowed"), "unknown": None, "programs": [
            {**CHESS, "category": "neutral", "terms": no_terms(7, "bedtime, \u00fc", [], "pause"), "matchers": [],
             "processes": [{"processID": 77, "startTime": 2**40}, {"processID": 4242, "startTime": 987654}]}]}]},
]
USE = {"account": 1000, "app": "org.gnome.Chess", "isWeak": True, "processID": 4242, "startTime": 987654}
UNKNOWN = {"account": 1001, "app": None, "isWeak": True, "processID": 2**31 - 1, "startTime": 2**64 - 1}
REPORTS = [
    {"event": "began", "use": USE, "since": 5_990, "activity": 2**40},
    {"event": "active", "use": USE, "milliseconds": 10_000, "activity": 4_000},
    {"event": "ended", "use": UNKNOWN, "milliseconds": 0, "activity": 0},
    {"event": "closed", "use": USE, "deed": "asked", "reason": "30 min of Chess a day are used", "matchers": []},
    {"event": "closed", "use": UNKNOWN, "deed": "killed", "reason": "", "matchers": [{"kind": "path", "value": "/home/emma/a game"}]},
    {"event": "closed", "use": UNKNOWN, "deed": "paused", "reason": "", "matchers": [
        {"kind": "argument", "value": "/opt/kart/run.py"}, {"kind": "package", "value": "kart"}]},
    {"event": "warned", "account": 1000, "app": "org.gnome.Chess", "milliseconds": 300_000},
    {"event": "inForce", "orders": 2**40}, {"event": "rescanned"},
    {"event": "refused", "orders": 3, "fault": "noAccount", "account": 4000, "app": None, "detail": ""},
    {"event": "refused", "orders": 3, "fault": "notKept", "account": 0, "app": None, "detail": ""},
    {"event": "refused", "orders": 3, "fault": "neededProgram", "account": 1000, "app": "shell", "detail": "/usr/bin/gnome-shell"},
    {"event": "clockSet", "milliseconds": -86_400_000}, {"event": "clockSet", "milliseconds": 61_000},
    {"event": "slept", "milliseconds": 3_600_000}, {"event": "ordersDamaged", "hasOlder": True},
    {"event": "dropped", "count": 512},
    {"event": "sessionsClosed", "account": 1000, "areEnded": False, "reason": "bedtime until 07:00"},
    {"event": "sessionsClosed", "account": 1000, "areEnded": True, "reason": "bedtime until 07:00"},
    {"event": "logInRefused", "account": 2**32 - 1, "reason": "locked by a parent"},
    {"event": "letThrough", "count": 3},
    {"event": "sessionsWarned", "account": 1001, "milliseconds": 300_000, "reason": "bedtime until 07:00"},
    {"event": "senses", "hasSessions": True, "hasInput": False},
    {"event": "unreadable", "account": 1000, "count": 4},
    {"event": "screenTime", "account": 1000, "milliseconds": 5_400_000},
    {"event": "refused", "orders": 3, "fault": "notLocked", "account": 1000, "app": None, "detail": ""},
]
QUESTIONS = [1000, 2**32 - 1]
ANSWERS = [(True, ""), (False, "bedtime until 07:00"), (False, "gr\u00fcn")]
NO_GATE = ["", "4c47", "4c470001", "4c4700020000000001", "4c410001000003e8", "4c470001000003e800", "4c47000102",
           "4c4700010000014a61"]


def process(path, name=None, arguments="", sha256=None, packages=(), flatpak=None, genuine=False, mapped=(), more=False, snap=None,
            mapped_snap=None):
    images = [{"path": path, "sha256": sha256, "packages": list(packages), "snap": snap}]
    images += [{"path": one, "sha256": digest, "packages": [], "snap": mapped_snap} for one, digest in mapped]
    return {"name": path.split("/")[-1][:15] if name is None else name, "arguments": arguments, "hasMoreArguments": more,
            "images": images, "flatpak": flatpak, "isGenuineFlatpak": genuine}


PROCESSES = [
    process("/usr/games/gnome-chess"), process("/usr/games/gnome-chess", packages=["tuxmath"]),
    process("/home/emma/other", sha256="ab" * 32), process("/memfd:x (deleted)", sha256="ab" * 32),
    process("/usr/lib/ld-linux.so.2", mapped=[("/usr/games/gnome-chess", None)]),
    process("/home/emma/ld", mapped=[("/home/emma/other", "ab" * 32)]),
    process("/usr/bin/java", arguments="java -Xmx1G -jar /home/emma/craft.jar"),
    process("/usr/bin/java", arguments="java -jar /home/emma/other.jar"),
    process("/usr/bin/java", arguments="java -jar /home/emma/other.jar", more=True),
    process("/usr/bin/tuxmath", packages=["tuxmath"], arguments="tuxmath", more=True),
    process("/opt/craft"), process("/opt/x", name="craft"), process("/opt/crafty"),
    process("/app/bin/math", flatpak="org.tux.Math"), process("/app/bin/math", flatpak="org.tux.Math", genuine=True),
    process("/usr/bin/tuxmath"), process("/usr/games/tuxmath", packages=["other", "tuxmath"], arguments="java craft.jar"),
    process("/snap/tux-math/12/bin/math", snap="tux-math"), process("/snap/tux-maths/12/bin/math", snap="tux-maths"),
    process("/snap/tux-math/12/bin/math", snap="tux-math", sha256="ab" * 32),
    process("/usr/lib/ld-linux.so.2", mapped=[("/snap/tux-math/12/bin/math", None)], mapped_snap="tux-math"),
]

LINEAGE = [{"processID": 77, "startTime": 2**40, "app": "org.gnome.Chess"}, {"processID": 4242, "startTime": 987654, "app": "net.craft"}]


def lineage(values):
    body = boot(BOOT) + struct.pack(">H", len(values))
    body += b"".join(struct.pack(">IQ", one["processID"], one["startTime"]) + text(one["app"]) for one in values)
    return b"LKLINEAG" + struct.pack(">I", binascii.crc32(body)) + body


PATTERNS = [
    ("java*craft.jar", "java -jar craft.jar"), ("craft?jar", "java craft.jar"), ("craft?jar", "java craftjar"),
    ("a**b*game", "a b game"), ("a**b*game", "ab gam game"), ("game", "the gam"), ("*game*", "game"), ("abcabd", "abcabcabd"),
    ("gr\u00fcn", "python gr\u00fcn.py"), ("gam?s", "xgamesx"), ("gam?s", "gams"), ("none", ""),
    ("a" * 70 + "?b*end", "x" + "a" * 75 + "b end"), ("a" * 70 + "?b*end", "a" * 70 + "b end"), ("??game", "agame"),
]

REFUSED = [
    ("4c42", "foreign"), ("47455420", "foreign"), ("4c41020100000000", "version"), ("4c41010900000000", "kind"),
    ("4c41010500000009", "tooLong"), ("4c41010300100001", "tooLong"), ("4c4101050000000400000000", "short"),
    (frame(2, bytes(15)).hex(), "short"), (frame(2, bytes(16) + b"\0")[:].hex(), "tooLong"),
    (frame(4, struct.pack(">QQB", 1, 1, 8) + b"\0").hex(), "trailing"), (frame(4, struct.pack(">QQB", 1, 1, 99)).hex(), "value"),
    (frame(4, struct.pack(">QQB", 1, 2**48, 8)).hex(), "value"),
    (frame(4, struct.pack(">QQBBQ", 1, 1, 9, 1, 0)).hex(), "value"), (frame(4, struct.pack(">QQBBQ", 1, 1, 9, 2, 5)).hex(), "value"),
    (orders({"number": 1, "boot": "", "at": 1, "accounts": []}).hex(), "value"),
    (orders({"number": 1, "boot": BOOT, "at": 1, "accounts": [ORDERS[1]["accounts"][1], ORDERS[1]["accounts"][0]]}).hex(), "value"),
    (orders({"number": 1, "boot": BOOT, "at": 1, "accounts": [{**ORDERS[1]["accounts"][0], "programs": [MATH, MATH]}]}).hex(),
     "value"),
]


def build():
    greetings = [
        {"run": 77, "isSystem": True, "hasEvents": True, "hasSessions": True, "hasInput": False, "user": 0, "boot": BOOT, "orders": 2**40},
        {"run": 78, "isSystem": False, "hasEvents": False, "hasSessions": False, "hasInput": False, "user": 1000, "boot": BOOT, "orders": None}]

    def hello(value):
        held = value["orders"]
        flags = [value[name] for name in ("isSystem", "hasEvents", "hasSessions", "hasInput")]
        body = struct.pack(">QBBBBI", value["run"], *flags, value["user"]) + boot(value["boot"])
        return frame(1, body + struct.pack(">BQ", held is not None, held or 0))

    reports = [{"number": number, "at": 6_000 + number, **one} for number, one in enumerate(REPORTS, 1)]
    programs = [CRAFT, CHESS, MATH]
    file = orders(ORDERS[1])
    return {
        "about": "frames, the orders file and recognition of Protocol/13-agent.md",
        "hello": [{**one, "bytes": hello(one).hex()} for one in greetings],
        "welcome": [{"run": 77, "stored": 12, "bytes": frame(2, struct.pack(">QQ", 77, 12)).hex()}],
        "orders": [{**one, "bytes": orders(one).hex()} for one in ORDERS],
        "reports": [{**one, "bytes": report(one).hex()} for one in reports],
        "stored": [{"number": 12, "bytes": frame(5, struct.pack(">Q", 12)).hex()}],
        "questions": [{"account": one, "bytes": question(one).hex()} for one in QUESTIONS],
        "answers": [{"isAllowed": may, "reason": why, "bytes": answer(may, why).hex()} for may, why in ANSWERS],
        "noGate": NO_GATE,
        "refused": [{"bytes": data, "why": why} for data, why in REFUSED],
        "file": (b"LKORDERS" + struct.pack(">I", binascii.crc32(file)) + file).hex(),
        "lineage": {"boot": BOOT, "processes": LINEAGE, "bytes": lineage(LINEAGE).hex()},
        "programs": programs,
        "recognition": [{"process": one, "is": match(programs, one)} for one in PROCESSES],
        "patterns": [{"pattern": pattern, "arguments": line, "matches": glob(b"*" + pattern.encode() + b"*", line)}
                     for pattern, line in PATTERNS],
    }
