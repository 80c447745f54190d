"""Sentences as values: a receipt's reason with the phrase beside it.

Spec: Protocol/06-messages.md section 4
"""

import re

from . import schema, texts

MOST_ARGUMENTS, DEEPEST = 32, 4
_PLACE, _NAME = re.compile(r"\{([^}]*)\}"), re.compile("[A-Za-z][A-Za-z0-9]{0,63}")


def tell(receipt, reason: str) -> None:
    """Put a reason into a receipt, with its phrase, which has no places."""
    receipt.reason = reason
    if "{" not in reason:
        receipt.phrase.text = reason


def read(receipt) -> dict | None:
    """Return the phrase of a receipt's reason in the form of the local API; None if there is none,
    if its bounds do not permit it, or if its words are not the reason.
    """
    if not receipt.HasField("phrase"):
        return None
    try:
        _check(receipt.phrase, 1, [MOST_ARGUMENTS])
    except ValueError:
        return None
    return _value(receipt.phrase) if words(receipt.phrase) == receipt.reason else None


def words(phrase) -> str:
    """Return a phrase in English."""
    said = {"count": str(phrase.count)} if phrase.HasField("other") else {}
    for argument in phrase.arguments:
        kind = argument.WhichOneof("value")
        value = getattr(argument, kind)
        said[argument.name] = words(value) if kind == "phrase" else str(value)
    form = phrase.text if phrase.count == 1 or not phrase.HasField("other") else phrase.other
    return _PLACE.sub(lambda place: said.get(place[1], place[0]), form)


def _check(phrase, depth: int, room: list[int]) -> None:
    room[0] -= len(phrase.arguments)
    texts.require(room[0] >= 0 and depth <= DEEPEST, "bounds")
    has_count = phrase.HasField("other")
    texts.require(has_count or phrase.count == 0, "count")
    places = {"count"} if has_count else set()
    for form in [phrase.text, phrase.other] if has_count else [phrase.text]:
        texts.require(texts.is_line(form, 1, texts.LONGEST_LINE), "text")
        found = _PLACE.findall(form)
        texts.require(len(set(found)) == len(found), "a place twice")
        places |= set(found)
    given = [argument.name for argument in phrase.arguments]
    texts.require(len(set(given)) == len(given) and set(given) <= places, "arguments")
    texts.require(places - set(given) <= ({"count"} if has_count else set()), "places")
    for argument in phrase.arguments:
        texts.require(_NAME.fullmatch(argument.name) is not None, "name")
        match argument.WhichOneof("value"):
            case "text":
                texts.require(texts.is_line(argument.text, 0, texts.LONGEST_LINE), "argument")
            case "phrase":
                _check(argument.phrase, depth + 1, room)
            case None:
                raise ValueError("no value")


def _value(phrase) -> dict:
    made = {"text": phrase.text}
    if phrase.HasField("other"):
        made |= {"other": phrase.other, "count": phrase.count}
    if phrase.arguments:
        made["arguments"] = {argument.name: _argument(argument) for argument in phrase.arguments}
    return made


def _argument(argument) -> str | int | dict:
    value = getattr(argument, argument.WhichOneof("value"))
    return _value(value) if isinstance(value, schema.Phrase) else value
