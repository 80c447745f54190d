"""A family's day in one language, from the first visit to the week's chart, with a real agent that closes a real
program. Tools/check-pages runs it beside its other checks, once for each language.
"""
import argparse
import contextlib
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from playwright.sync_api import sync_playwright

from family import Fault, Node, afternoon, eventually, install, prepare
from phone import Phone
from texts import Texts
from visitor import PHONE, ROOT, Visitor, glance, use_sources

LOCALES = {"en": "en-GB", "de": "de-DE"}
KART, MINUTE = "org.example.Kart", 60_000


class Day:
    """The machines, browsers and the program of the day, with what was found."""

    def __init__(self, options, work, playwright):
        self.work, self.playwright, self.pictures = work, playwright, options.screenshots
        self.texts, self.locale = Texts(options.language), LOCALES[options.language]
        self.wrong, self.visitors, self.game, self.began = [], [], None, time.monotonic()
        self.is_firefox = options.firefox
        prepare(work)
        self.kart = work / "kart"
        # No other program of this machine has the same content.
        self.kart.write_bytes(pathlib.Path("/bin/sleep").read_bytes() + str(self.kart).encode())
        self.kart.chmod(0o755)
        install(work, KART, "Kart", self.kart)
        language = {"LANG": f"{self.locale.replace('-', '_')}.UTF-8"}
        zone, program = afternoon(), options.built / "latchkey"
        self.parent = Node(program, work, "parent", "parent", "Kitchen laptop", zone, language)
        self.emma = Node(program, work, "child", "emma", "Emma's PC", zone, language)
        self.browser = self.mum = self.phone = self.child = None

    def start(self):
        """Starts both machines, and opens the parent's pages."""
        self.parent.start()
        self.emma.start()
        if self.is_firefox:
            # Debian's own Firefox, which Playwright drives by WebDriver BiDi.
            self.browser = self.playwright.firefox.launch(executable_path="/usr/bin/firefox-esr", channel="moz-firefox")
        else:
            self.browser = self.playwright.chromium.launch(executable_path="/usr/bin/chromium", chromium_sandbox=True)
        self.mum = self.visit(self.parent, "dashboard")

    def visit(self, node, *words, **options):
        self.visitors.append(Visitor(self.browser, node, *words, locale=self.locale, **options))
        return self.visitors[-1]

    def say(self, sentence):
        print(f"  {time.monotonic() - self.began:5.1f} s  {sentence}")

    def look(self, visitor, name):
        """Looks at the page that a visitor has open, in all sizes."""
        self.wrong += glance(visitor, f"day-{name}", self.pictures, can_emulate=not self.is_firefox)

    def press(self, visitor, words, **values):
        visitor.press(self.texts(words, **values))

    def follow(self, visitor, words, **values):
        with visitor.page.expect_navigation():
            visitor.page.get_by_role("link", name=self.texts(words, **values), exact=True).click()

    def fill(self, visitor, label, value):
        visitor.page.get_by_label(self.texts(label), exact=True).fill(value)

    def pair(self):
        """The parent's page shows a code, the child's machine joins, and both show the same digits."""
        mum = self.mum
        self.look(mum, "nobody")
        self.follow(mum, "Pair the child's machine")
        self.fill(mum, "The child's name, such as Emma, or Emma, Ben if they share it", "Emma")
        self.press(mum, "Show a code")
        code = mum.page.locator("p.code").get_by_text(re.compile("^LK1")).inner_text()
        self.look(mum, "code")
        port = self.parent.ask("GET", "/v1/status")["listening"][0].rsplit(":", 1)[1]
        join = subprocess.Popen(
            [self.emma.program, "pair", "join", "--code-stdin", "--yes", "--peer", f"127.0.0.1:{port}"],
            env=os.environ | self.emma.variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        join.stdin.write(code + "\n")
        join.stdin.close()
        digits = mum.page.locator(".digits [aria-hidden]").inner_text()
        self.look(mum, "digits")
        self.press(mum, "Yes, they are the same, and it may join")
        said = join.stdout.read()
        if join.wait() or digits not in said:
            raise Fault(f"the child's machine does not show {digits}: {said}")
        # Languages have marks of their own around a name.
        mum.sees(re.compile(self.texts("Paired with {machine}.", machine=".Emma's PC.")))
        self.look(mum, "paired")
        self.say(f"paired in the page; both showed {digits}")

    def answer_questions(self):
        """The questions after the pairing: the account, the time a day, and the bedtime."""
        mum = self.mum
        self.follow(mum, "Go on with its questions")
        account = pwd.getpwuid(os.getuid()).pw_name
        radio = mum.page.get_by_role("radio", name=re.compile(f"^{re.escape(account)}\\b"))
        # The machine tells its accounts once it is in touch.
        radio.wait_for()
        self.look(mum, "account")
        radio.check()
        self.press(mum, "Save")
        self.fill(mum, "Time a day, such as 2h or 1h30m", "2h")
        self.look(mum, "limit")
        self.press(mum, "Save")
        self.fill(mum, "From", "20:00")
        self.fill(mum, "Until", "07:00")
        self.look(mum, "bedtime")
        self.press(mum, "Save")
        mum.page.get_by_role("article", name="Emma", exact=True).wait_for()
        self.child = eventually("the machine is Emma's", lambda: self.emma.ask("GET", "/v1/children"))[0]["childID"]
        self.say(f"the account {account} is Emma's; two hours a day; bedtime at 20:00")

    def set_times(self):
        """The bedtime of every day, which is read again before it is saved."""
        mum = self.mum
        mum.go(f"/children/{self.child}/times")
        form = mum.page.get_by_role("article", name=self.texts("Bedtime"), exact=True)
        form.get_by_label(self.texts("Times"), exact=True).fill("20:30-07:00")
        with mum.page.expect_navigation():
            form.get_by_role("button").click()
        mum.sees(re.compile("20:30.07:00"))
        self.look(mum, "confirm")
        self.press(mum, "Save")
        mum.sees(self.texts("Saved."))
        self.expect_rule("schedule/bedtime", "20:30-07:00")
        self.say("bedtime at 20:30, which Emma's PC knows")

    def categorise(self):
        """The game becomes a reward with a minute a day."""
        mum = self.mum
        mum.go(f"/children/{self.child}/applications")
        row = mum.page.get_by_role("row", name=re.compile("Kart"))
        row.get_by_role("checkbox").check()
        self.look(mum, "applications")
        form = mum.page.locator("fieldset")
        form.locator("[name=category]").select_option(label=self.texts("Rewards"))
        form.get_by_label(self.texts("Limit a day"), exact=True).fill("1min")
        # Otherwise Emma would have to earn points first.
        form.get_by_label(self.texts("Points a minute"), exact=True).fill("0")
        self.press(mum, "Change")
        mum.sees(self.texts("1 application was changed."))
        mum.page.get_by_role("row", name=re.compile("Kart")).get_by_text(self.texts("Rewards")).wait_for()
        self.expect_rule(f"app/{KART}/category", "reward")
        self.say("Kart is a reward, a minute a day, which Emma's PC knows")

    def expect_rule(self, key, value):
        eventually(f"Emma's PC has {key} {value}", lambda: any(
            (one["key"], one["value"]) == (key, value)
            for one in self.emma.ask("GET", f"/v1/rules?child={self.child}")["rules"]))

    def let_phone_in(self):
        """The phone trusts the computer and signs in after a yes at the computer."""
        mum = self.mum
        self.follow(mum, "Phones")
        self.press(mum, "Let a phone in")
        link = mum.page.locator("code").get_by_text(re.compile("/trust$")).inner_text()
        self.phone = phone = Phone(self.playwright.chromium, self.work / "phone", self.locale)
        self.visitors.append(phone)
        file, digest = phone.load_authority(link, self.texts("Load the certificate"))
        self.look(phone, "trust")
        shown = mum.page.locator(".digits").first.inner_text().replace(" ", "")
        if not shown or not digest.startswith(shown):
            raise Fault(f"the computer shows {shown} for a certificate whose SHA-256 is {digest}.")
        self.press(mum, "Show a sign-in code")
        code = mum.page.locator(".digits").get_by_text(re.compile("-")).inner_text()
        entry = mum.page.locator("code").get_by_text(re.compile("^https:")).first.inner_text()
        self.look(mum, "phones")
        if not phone.is_refused(entry):
            raise Fault("a phone that does not trust the computer opens its pages.")
        phone.trust(file)
        phone.page.goto(entry)
        self.fill(phone, "Code", code)
        self.look(phone, "sign-in")
        self.press(phone, "Sign in")
        digits = phone.page.locator(".digits").inner_text()
        mum.page.get_by_role("article").filter(has_text=self.texts("Is it this phone?")).wait_for()
        if mum.page.locator(".digits").first.inner_text() != digits:
            raise Fault(f"the phone shows {digits}, and the computer something else.")
        self.look(mum, "phone-waits")
        self.fill(mum, "What it is called", "Anna's phone")
        self.press(mum, "Yes, let it in")
        mum.sees(self.texts("{phone} is let in.", phone="Anna's phone"))
        phone.sees("Emma")
        phone.origin = phone.page.url.rstrip("/")
        self.say("a phone trusts the computer, and is signed in after a yes there")

    def used(self, node):
        """Returns for how many milliseconds a machine knows that Kart was used today."""
        today = node.ask("GET", f"/v1/children/{self.child}/today")
        return sum(one["usedMilliseconds"] for one in today["apps"] if one["appID"] == KART)

    def is_open(self):
        """Returns whether Kart itself runs, and not another program with its number."""
        with contextlib.suppress(OSError):
            return self.game.poll() is None and os.readlink(f"/proc/{self.game.pid}/exe") == str(self.kart)
        return False

    def play(self):
        """Emma plays, asks for more, and plays on after the phone's yes until that is used up as well."""
        emma = self.visit(self.emma, "me", "--web", viewport=PHONE)
        self.phone.go()
        self.game = subprocess.Popen([self.kart, "600"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        emma.sees(re.compile("Kart .*17:|Kart .*18:"), inside="#time")
        emma.page.locator("[name=app]").select_option(label="Kart")
        minutes = emma.page.get_by_label(self.texts("Minutes"), exact=True)
        # Firefox keeps what a field of numbers has when it is filled.
        minutes.press("ControlOrMeta+a")
        minutes.press_sequentially("1")
        self.fill(emma, "Why", "the last round")
        self.press(emma, "Ask my parents")
        # Nobody loads the phone's page again.
        self.phone.sees("the last round", inside="#requests")
        self.phone.press(f"{self.texts('Yes')} {self.texts('for {name}', name='Emma')}")
        self.phone.sees("Emma", inside="#answered")
        emma.page.locator("#requests li").get_by_text(self.texts("yes")).wait_for()
        if not self.is_open():
            raise Fault("Kart was closed before its minute was over.")
        self.say("Emma plays, has asked for a minute more, and the phone has said yes")
        self.look(self.phone, "phone-answered")
        self.look(emma, "child-plays")
        eventually("Kart has run for longer than its limit", lambda: self.used(self.emma) > MINUTE, 90)
        if not self.is_open():
            raise Fault("Kart was closed at its limit, although it has a minute more.")
        self.say("Kart goes on after its limit")
        try:
            self.game.wait(90)
        except subprocess.TimeoutExpired:
            log = (self.work / "emma.log").read_text()[-2_000:]
            raise Fault(f"Kart is not closed. Emma's page says:\n{emma.page.locator('main').inner_text()}\n{log}")
        if self.game.returncode != -signal.SIGTERM:
            raise Fault(f"Kart ended with {self.game.returncode}.")
        if (used := self.used(self.emma)) < 2 * MINUTE - 2_000:
            raise Fault(f"Kart was closed after {used} ms.")
        self.say(f"Kart is closed after {used / 1_000:.1f} s of use")
        emma.sees("Kart", inside="#closed")
        self.look(emma, "child-closed")

    def see_week(self):
        """The parent's week has the time of the game."""
        mum = self.mum
        eventually("the parent knows of the use", lambda: self.used(self.parent) >= 2 * MINUTE - 2_000)
        mum.go()
        with mum.page.expect_navigation():
            mum.page.get_by_role("link", name="Emma", exact=True).click()
        mum.page.locator("#week svg.chart rect.reward").first.wait_for()
        row = mum.page.locator("#applications").get_by_role("row", name=re.compile("Kart"))
        row.get_by_text(self.texts("Rewards")).wait_for()
        said = row.inner_text()
        if not re.search(r"\b[12] [Mm]in\b", said):
            raise Fault(f"the week says of Kart: {said}")
        self.look(mum, "week")
        self.phone.go(f"/children/{self.child}")
        self.phone.page.locator("#week svg.chart rect.reward").first.wait_for()
        self.look(self.phone, "phone-week")
        self.say(f"the week's chart has it: {' '.join(said.split())}")

    def run(self):
        for step in (self.start, self.pair, self.answer_questions, self.set_times, self.categorise, self.let_phone_in,
                     self.play, self.see_week):
            step()

    def end(self):
        for visitor in self.visitors:
            self.wrong += visitor.problems
        if self.game and self.game.poll() is None:
            self.game.kill()
        for node in (self.parent, self.emma):
            node.leave()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--built", type=pathlib.Path, default=ROOT / ".build/debug")
    parser.add_argument("--language", choices=LOCALES, required=True)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--firefox", action="store_true")
    parser.add_argument("--sources", action="store_true")
    options = parser.parse_args()
    if options.sources:
        use_sources()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    work, day = pathlib.Path(tempfile.mkdtemp(prefix="latchkey-day.")), None
    try:
        with sync_playwright() as playwright:
            day = Day(options, work, playwright)
            try:
                day.run()
            except Exception as error:
                here = f"{pathlib.Path(__file__).parent}/"
                where = [f"{pathlib.Path(one.filename).name}:{one.lineno}"
                         for one in traceback.extract_tb(error.__traceback__) if here in one.filename]
                day.wrong.append(f"{' '.join(where)}: {type(error).__name__}: {error}")
            finally:
                day.end()
        for fault in dict.fromkeys(day.wrong):
            print(f"FAULT the day, {options.language}: {fault}", file=sys.stderr)
        return 1 if day.wrong else 0
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
