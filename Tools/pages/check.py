"""Opens the pages of a family's real nodes in a real browser. See Tools/check-pages."""
import argparse
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from playwright.sync_api import sync_playwright

import attacks
import figures
from family import Family, Fault, eventually, ordinary_weeks
from visitor import PHONE, ROOT, Visitor, tour, use_sources

CHROMIUM = "/usr/bin/chromium"
HERE = pathlib.Path(__file__).resolve().parent
GAME = "net.supertuxkart.SuperTuxKart"
# Each is a text that a page of another kind would run, break or turn.
HOSTILE = ["<img src=x onerror=alert(1)>", "W" * 64, "\u05d0\u05d1\u05d2 \u0645\u0631\u064a\u0645 {{token}}",
           "\"\u0301'></a><b>" + "e\u0301\u0302\u0323" * 4]


class Run:
    """The steps, with what they find."""

    def __init__(self, family, browser, pictures):
        self.family, self.browser, self.pictures = family, browser, pictures
        self.wrong, self.problems, self.visitors = [], [], []

    def step(self, name, body):
        began = time.monotonic()
        try:
            word = body()
        except Exception as error:
            word = "FAILED"
            where = traceback.extract_tb(error.__traceback__)
            lines = [f"{pathlib.Path(one.filename).name}:{one.lineno}" for one in where if f"{HERE}/" in one.filename]
            self.wrong.append(f"{name}: {' '.join(lines)}: {type(error).__name__}: {error}")
            self.leave(*self.visitors)
        self.wrong += [f"{name}: {problem}" for problem in self.problems]
        self.problems.clear()
        print(f"{name}: {word or 'ok'} ({time.monotonic() - began:.1f} s)")

    def visit(self, node, **options):
        words = ["dashboard"] if node is self.family.parent else ["me", "--web"]
        visitor = Visitor(self.browser, node, *words, **options)
        self.visitors.append(visitor)
        return visitor

    def leave(self, *visitors):
        for visitor in visitors:
            self.problems += visitor.problems
            visitor.close()
        self.visitors = [one for one in self.visitors if one not in visitors]

    def day(self):
        """A parent and Emma use their pages at the same time."""
        mum, emma = self.visit(self.family.parent), self.visit(self.family.emma, viewport=PHONE)
        mum.sees("Emma")
        card = mum.page.get_by_role("article", name="Emma", exact=True)
        mum.press("+15 min for Emma", card)
        mum.sees("Emma has 15 min more for the rest of the day.")
        mum.press("Lock Emma", card)
        mum.sees("Emma is locked")
        emma.sees("Locked")
        mum.press("Unlock Emma", card)
        emma.page.get_by_text("Locked").first.wait_for(state="detached")
        emma.page.get_by_label("Minutes").fill("30")
        emma.page.get_by_label("Why").fill("the last level")
        emma.press("Ask my parents")
        asked = time.monotonic()
        # Nobody loads the parent's page again.
        mum.sees("Emma asks for 30 min")
        shown = time.monotonic() - asked
        mum.sees("the last level")
        if self.pictures:
            mum.page.screenshot(path=self.pictures / "parent-asked.png", full_page=True)
        mum.page.get_by_label("A word for Emma").fill("then dinner")
        mum.press("Yes for Emma")
        mum.sees("Emma gets 30 min.")
        answered = time.monotonic()
        emma.sees(re.compile("then dinner"))
        told = time.monotonic() - answered
        mum.page.get_by_role("link", name="Emma", exact=True).click()
        mum.sees("Week of")
        mum.page.locator("svg.chart rect").first.wait_for()
        mum.page.get_by_role("link", name="Earlier", exact=True).click()
        mum.page.get_by_role("link", name="Now", exact=True).wait_for()
        self.leave(mum, emma)
        return f"the request was shown after {shown:.2f} s, and the answer after {told:.2f} s"

    def pressed(self):
        """A press counts although its part of the page changes before the mouse or the key comes up again."""
        mum = self.visit(self.family.parent)
        answers = []
        mum.page.on("response", lambda one: answers.append(one) if "latchkey-part" in one.request.headers else None)

        def has_come(text):
            mum.page.wait_for_timeout(50)
            return any(text in re.sub("<[^>]*>", "", one.text()) for one in list(answers))

        card = mum.page.get_by_role("article", name="Ben", exact=True)
        button = card.get_by_role("button", name="+15 min for Ben", exact=True)
        keys, mouse = mum.page.keyboard, mum.page.mouse
        ways = {"mouse": (mouse.down, mouse.up), "key": (lambda: keys.down("Space"), lambda: keys.up("Space"))}

        def turn(way, word, before, after, is_pressed):
            """Returns whether the page was told of a lock during the press, which it waits for three seconds."""
            down, up = ways[way]
            button.focus()
            button.hover()
            began = time.monotonic()
            down()
            answers.clear()
            if not is_pressed:
                mouse.move(1, 1)
            self.family.parent.command(word, "Ben")
            eventually(f"the page is told of the {word}", lambda: has_come(after))
            mum.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            was_shown = card.get_by_role("button", name=before, exact=True).count() == 0
            if time.monotonic() - began > 2.5:
                mouse.move(1, 1)
                up()
                mum.go()
                return False
            if was_shown:
                raise Fault("the page has changed a part during a press.")
            if is_pressed:
                with mum.page.expect_navigation():
                    up()
                mum.sees("Ben has 15 min more for the rest of the day.")
            else:
                up()
            card.get_by_role("button", name=after, exact=True).wait_for(timeout=2_000)
            return True

        words = [("lock", "Lock Ben", "Unlock Ben"), ("unlock", "Unlock Ben", "Lock Ben")]
        done = 0
        try:
            for number in range(20):
                # The last press is none: the mouse comes up elsewhere.
                done += turn("key" if done == 1 else "mouse", *words[number % 2], is_pressed=done < 2)
                if done == 3:
                    break
            else:
                raise Fault("the page was never told of a change within 2.5 s.")
        finally:
            self.family.parent.command("unlock", "Ben")
        self.leave(mum)

    def without_script(self):
        mum = self.visit(self.family.parent, script=False)
        emma = self.visit(self.family.emma, script=False, viewport=PHONE)
        card = mum.page.get_by_role("article", name="Ben", exact=True)
        mum.press("+30 min for Ben", card)
        mum.sees("Ben has 30 min more for the rest of the day.")
        mum.press("Lock Ben", card)
        mum.sees("Ben is locked")
        mum.press("Unlock Ben", card)
        mum.sees("Ben is not locked any more.")
        emma.page.get_by_label("Minutes").fill("20")
        emma.press("Ask my parents")
        mum.go()
        mum.press("No for Emma")
        mum.sees("Emma does not get 20 min.")
        eventually("the answer has reached Emma's PC", lambda: all(
            one["state"] != "open" for one in self.family.emma.ask("GET", "/v1/requests")))
        emma.go()
        emma.sees(re.compile("20 min: no"))
        for visitor in (mum, emma):
            visitor.press("Sign out")
        self.leave(mum, emma)

    def pages(self):
        """All pages of both, in English and in German."""
        counts = []
        for node, name in ((self.family.parent, "parent"), (self.family.emma, "child")):
            for locale in ("en-GB", "de-DE"):
                visitor = self.visit(node, locale=locale)
                is_english = locale == "en-GB"
                found, paths = tour(visitor, name, self.pictures, with_axe=is_english,
                                    schemes=("light", "dark") if is_english or self.pictures else ("light",))
                self.wrong += found
                self.leave(visitor)
            counts.append(f"{len(paths)} of the {name}'s")
        return f"{' and '.join(counts)} pages"

    def hostile(self):
        """Names that would break out of a page that does not escape them."""
        family = self.family
        family.parent.command("children", "rename", "Emma", "--to", HOSTILE[0])
        family.parent.command("children", "rename", "Ben", "--to", HOSTILE[1])
        for name in HOSTILE[2:]:
            family.parent.command("children", "add", name)
        family.parent.command("devices", "rename", "Emma's PC", "--to", HOSTILE[3])
        family.parent.command("devices", "rename", "Ben's PC", "--to", "M" * 64)
        family.parent.command("devices", "rename", "--self", "<script>alert(2)</script>")
        family.parent.command("app", "set", GAME, "--child", HOSTILE[0], "--name", HOSTILE[3], "--blocked")
        family.emma.command("ask", "10m", "--reason", HOSTILE[0] + HOSTILE[2])
        family.ben.command("ask", "10m", "--reason", "W" * 200)
        eventually("both have asked", lambda: sum(
            one["state"] == "open" for one in family.parent.ask("GET", "/v1/requests")) >= 2)
        for node, name in ((family.parent, "parent"), (family.emma, "child")):
            visitor = self.visit(node)
            found, _ = tour(visitor, f"hostile-{name}", self.pictures, schemes=("light",), of_each=True)
            self.wrong += found
            visitor.go()
            visitor.sees(HOSTILE[0])
            if visitor.page.locator("main img, main b").count():
                raise Fault(f"a name became a part of the page of {visitor.page.url}")
            self.leave(visitor)


class WholeDays:
    """The days of families of their own, which run beside everything else: most of a day is a minute's wait for a
    limit.
    """

    def __init__(self, options, languages):
        words = [sys.executable, HERE / "day.py", "--built", options.built]
        words += ["--screenshots", options.screenshots] if options.screenshots else []
        words += [f"--{one}" for one in ("sources", "firefox") if getattr(options, one)]
        self.running = {language: subprocess.Popen([*words, "--language", language], text=True, stdout=subprocess.PIPE,
                                                   stderr=subprocess.STDOUT) for language in languages}

    def finish(self):
        """Waits for the days, prints what they say, and returns whether all is well."""
        is_well = True
        for language, process in self.running.items():
            said = process.communicate()[0]
            is_well = process.returncode == 0 and is_well
            word = "FAILED" if process.returncode else "ok"
            print(f"a whole day, {language}: {word}\n{said}", end="")
        return is_well

    def end(self):
        for process in self.running.values():
            if process.poll() is None:
                process.terminate()
                process.wait()


def picture(run, path):
    """Makes the README's picture of the parent's first page."""
    run.family.emma.command("ask", "30m", "--for", "Luanti", "--reason", "finish the castle with Ben")
    mum = run.visit(run.family.parent, viewport={"width": 1280, "height": 700})
    mum.sees("Emma asks for")
    for box in mum.page.locator("footer").all():
        box.evaluate("footer => footer.remove()")
    height = mum.page.evaluate("Math.ceil(document.querySelector('main').getBoundingClientRect().bottom)")
    mum.page.set_viewport_size({"width": 1280, "height": height})
    mum.page.screenshot(path=path)
    run.leave(mum)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--built", type=pathlib.Path, default=ROOT / ".build/debug")
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--picture", type=pathlib.Path)
    parser.add_argument("--figures", action="store_true")
    parser.add_argument("--sources", action="store_true")
    parser.add_argument("--day", action="store_true")
    parser.add_argument("--firefox", action="store_true")
    options = parser.parse_args()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    if options.sources:
        use_sources()
    # What was started is ended also if this is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    days = WholeDays(options, [] if options.picture or options.figures else ["en", "de"])
    try:
        is_well = options.day or options.firefox or of_a_family(options)
        return 0 if days.finish() and is_well else 1
    finally:
        days.end()


def of_a_family(options):
    """Carries out the steps with a family that has used its machines for weeks; returns whether all is well."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="latchkey-pages."))
    family = None
    try:
        began = time.monotonic()
        family = Family(options.built / "latchkey", work)
        family.set_rules()
        family.remember([(family.emma, "Emma", ordinary_weeks(1, 45)), (family.ben, "Ben", ordinary_weeks(2, 35))])
        family.play(family.emma, "org.kde.krita")
        print(f"family: {len(family.nodes)} machines ({time.monotonic() - began:.1f} s)")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, chromium_sandbox=True)
            run = Run(family, browser, options.screenshots)
            if options.picture:
                run.step("picture", lambda: picture(run, options.picture))
            elif options.figures:
                run.step("figures of a year", lambda: figures.of_a_year(run))
            else:
                run.step("a day", run.day)
                run.step("pressed while the page changes", run.pressed)
                run.step("without script", run.without_script)
                run.step("all pages", run.pages)
                run.step("figures", lambda: figures.of_a_day(run))
                run.step("attacks", lambda: attacks.refused(run, playwright, CHROMIUM))
                run.step("many pages", lambda: attacks.many(run))
                run.step("node away", lambda: attacks.away(run))
                run.step("hostile names", run.hostile)
            browser.close()
        for fault in dict.fromkeys(run.wrong):
            print(f"FAULT {fault}", file=sys.stderr)
        return not run.wrong
    finally:
        if family:
            family.end()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
