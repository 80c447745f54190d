"""Reasons in receipts and their phrases, written from Protocol/06-messages.md section 4."""

FILE = "phrases.json"

COMMAND = bytes(range(16))
DEEP = {"text": "d"}
for _ in range(3):
    DEEP = {"text": "d {x}", "arguments": {"x": DEEP}}
TOO_DEEP = {"text": "d {x}", "arguments": {"x": DEEP}}

# A phrase and its English words.
GOOD = [
    ({"text": "No."}, "No."),
    ({"text": "{machine} waits.", "arguments": {"machine": "Emma \u00fc {x}"}}, "Emma \u00fc {x} waits."),
    ({"text": "{a} and {b}", "arguments": {"a": -3, "b": 2**53}}, "-3 and 9007199254740992"),
    ({"text": "{count} day", "other": "{count} days", "count": 1}, "1 day"),
    ({"text": "{count} day", "other": "{count} days", "count": 0}, "0 days"),
    ({"text": "one {what}", "other": "{count} of {what}", "count": -2, "arguments": {"what": "x"}}, "-2 of x"),
    (
        {"text": "It waited for {what}.", "arguments": {"what": {"text": "the agent"}}},
        "It waited for the agent.",
    ),
    (DEEP, "d d d d"),
    (
        {"text": " ".join(f"{{p{n}}}" for n in range(32)), "arguments": {f"p{n}": n for n in range(32)}},
        " ".join(map(str, range(32))),
    ),
    ({"text": "{" + "n" * 64 + "}", "arguments": {"n" * 64: "y" * 1_024}}, "y" * 1_024),
]
# A phrase that its bounds do not permit, and a reason.
BAD = [
    ({"text": "No."}, "Yes."),
    ({"text": ""}, ""),
    ({"text": "a {x}"}, "a {x}"),
    ({"text": "a", "arguments": {"x": "b"}}, "a"),
    ({"text": "{x} {x}", "arguments": {"x": "b"}}, "b b"),
    ({"text": "{1x}", "arguments": {"1x": "b"}}, "b"),
    ({"text": "{x y}", "arguments": {"x y": "b"}}, "b"),
    ({"text": "{\u00e4}", "arguments": {"\u00e4": "b"}}, "b"),
    ({"text": "{" + "n" * 65 + "}", "arguments": {"n" * 65: "b"}}, "b"),
    ({"text": "a\nb"}, "a b"),
    ({"text": "{x}", "arguments": {"x": "a\u202eb"}}, "a b"),
    ({"text": "{count} day", "other": "", "count": 1}, "1 day"),
    ({"text": "one", "other": "o" * 1_025, "count": 1}, "one"),
    ({"text": "one", "count": 1}, "one"),
    ({"text": "{count}"}, "{count}"),
    (
        {"text": " ".join(f"{{p{n}}}" for n in range(33)), "arguments": {f"p{n}": n for n in range(33)}},
        " ".join(map(str, range(33))),
    ),
    (TOO_DEEP, "d d d d d"),
]


def build():
    receipts = [entry(phrase, reason, True) for phrase, reason in GOOD]
    receipts += [entry(phrase, reason, False) for phrase, reason in BAD]
    # An argument without a value, as of a later version, and one that is given twice.
    later, twice = text(1, "x"), text(1, "x") + text(2, "b")
    for arguments, reason in ((field(4, later), "{x}"), (field(4, twice) * 2, "b")):
        receipts.append({"body": receipt(text(1, "{x}") + arguments, reason).hex(), "reason": reason, "phrase": None})
    receipts.append({"body": receipt(None, "No.").hex(), "reason": "No.", "phrase": None})
    return {"receipts": receipts}


def entry(phrase, reason, is_taken):
    return {"body": receipt(message(phrase), reason).hex(), "reason": reason, "phrase": phrase if is_taken else None}


def receipt(phrase, reason):
    body = field(1, COMMAND) + number(2, 2) + (text(3, reason) if reason else b"") + number(5, 7)
    return body if phrase is None else body + field(6, phrase)


def message(phrase):
    made = text(1, phrase["text"]) if phrase["text"] else b""
    if "other" in phrase:
        made += text(2, phrase["other"])
    if phrase.get("count"):
        made += number(3, zigzag(phrase["count"]))
    for name, value in sorted(phrase.get("arguments", {}).items()):
        if isinstance(value, str):
            said = text(2, value)
        elif isinstance(value, int):
            said = number(3, zigzag(value))
        else:
            said = field(4, message(value))
        made += field(4, text(1, name) + said)
    return made


def zigzag(value):
    return value * 2 if value >= 0 else -value * 2 - 1


def text(place, said):
    return field(place, said.encode())


def field(place, content):
    return varint(place << 3 | 2) + varint(len(content)) + content


def number(place, value):
    return varint(place << 3) + varint(value)


def varint(value):
    made = b""
    while value > 127:
        made += bytes([value & 127 | 128])
        value >>= 7
    return made + bytes([value])
