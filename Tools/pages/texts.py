"""The texts of the pages in a language, from the translations that the pages have."""
import ast
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Sources/CTexts"


class Texts:
    """Returns the text of a language for an English one, with its places filled in."""

    def __init__(self, language):
        self.language, self.found = language, {}
        if language != "en":
            for entry in (FOLDER / f"{language}.po").read_text().split("\n\n"):
                parts = re.findall(r'^(msgid|msgid_plural|msgstr(?:\[\d\])?) ((?:".*"\n?)+)', entry, re.MULTILINE)
                values = {name: "".join(ast.literal_eval(line) for line in text.splitlines()) for name, text in parts}
                self.found[values.get("msgid")] = values.get("msgstr") or values.get("msgstr[0]")
                if "msgid_plural" in values:
                    self.found[values["msgid_plural"]] = values["msgstr[1]"]

    def __call__(self, english, **values):
        text = self.found[english] if self.found else english
        for name, value in values.items():
            text = text.replace("{" + name + "}", value)
        return text
