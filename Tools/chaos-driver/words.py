"""Texts that applications are called by."""
import random


def app_suffix(chance: random.Random) -> str:
    """Returns what is added to the name of an application: mostly nothing, sometimes what a node may stumble over."""
    return chance.choices(("", " – Schach 🦊", "\0 and more"), (80, 18, 2))[0]
