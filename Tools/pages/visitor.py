"""A browser that somebody opens Latchkey's pages with, and what must hold on each page."""
import collections
import contextlib
import pathlib
import re
import urllib.parse

from axe_playwright_python.sync_playwright import Axe

from family import Fault

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHONE, TABLET, DESKTOP = {"width": 360, "height": 740}, {"width": 768, "height": 1024}, {"width": 1280, "height": 900}
# A page that is slower is as good as none.
PATIENCE = 10_000
# The lowest height at which a finger finds something, in pixels.
TOUCH = 44


def use_sources():
    """Has browsers use the style sheet and the script of the sources instead of the built ones."""
    for file, kind in (("StyleSheet", "style"), ("Assets", "script")):
        text = (ROOT / f"Sources/Web/Template/{file}.swift").read_text()
        Visitor.replaced[kind] = text.split('#"""', 1)[1].split('"""#', 1)[0]


class Visitor:
    """A browser's own context, signed in to the pages of a node."""

    # The style sheet and the script that are tried instead of the built ones.
    replaced = {}

    def __init__(self, browser, node, *words, script=True, viewport=DESKTOP, **options):
        self.node = node
        self.open(browser, script=script, viewport=viewport, **options)
        self.page.goto(node.opened(*words).as_uri())
        if not script:
            self.page.get_by_role("button").click()
        self.page.wait_for_url("http://lk-*.localhost:*/")
        self.origin = self.page.url.rstrip("/")

    def open(self, browser, script=True, viewport=DESKTOP, **options):
        """Opens an empty page in a context of its own."""
        self.problems, self.is_quiet = [], False
        self.context = browser.new_context(viewport=viewport, java_script_enabled=script, **options)
        self.context.set_default_timeout(PATIENCE)
        types = {"style": "text/css", "script": "text/javascript"}
        for kind, text in self.replaced.items():
            answer = {"body": text, "content_type": types[kind]}
            self.context.route(re.compile(rf"/{kind}-\w+\.\w+$"),
                               lambda route, _, answer=answer: route.fulfill(**answer))
        self.page = self.context.new_page()
        self.watch(self.page)

    def watch(self, page):
        """Notes what a page that works never does. A refused script or style is an error of the console."""
        page.on("console", lambda message: self.note(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.note(str(error)))
        page.on("dialog", lambda dialog: (self.note(f"a dialog: {dialog.message}"), dialog.dismiss()))

    def note(self, problem):
        if not self.is_quiet:
            self.problems.append(f"{self.page.url}: {problem}")

    @contextlib.contextmanager
    def quiet(self):
        """Errors that are called forth are no problems."""
        self.is_quiet = True
        yield
        self.is_quiet = False

    def go(self, path="/"):
        answer = self.page.goto(self.origin + path)
        if answer.status != 200:
            raise Fault(f"{path} is answered with {answer.status}: {self.page.locator('main').inner_text()}")

    def sees(self, text, inside="main"):
        """Waits until a text is on the page."""
        try:
            self.page.locator(inside).get_by_text(text).first.wait_for()
        except Exception as error:
            said = self.page.locator("main").inner_text()
            raise Fault(f"“{text}” never came to {self.page.url}, which says:\n{said}") from error

    def press(self, name, within=None):
        """Presses a button, and waits for the page that follows."""
        with self.page.expect_navigation():
            (within or self.page).get_by_role("button", name=name, exact=True).first.click()

    def addresses(self, of_each=False):
        """Returns the paths of all pages that links lead to: one of each form, or of each child and
        machine.
        """
        found, waiting = {}, collections.deque(["/"])
        while waiting:
            path = waiting.popleft()
            form = path.split("?")[0] if of_each else re.sub(r"[0-9a-f-]{32,36}", "*", path.split("?")[0])
            form += "?" if "?" in path else ""
            if form in found:
                continue
            found[form] = path
            self.go(path)
            for link in self.page.locator("a[href]").evaluate_all("links => links.map(link => link.href)"):
                parts = urllib.parse.urlsplit(link)
                # A file that a page offers to keep is no page.
                if link.startswith(self.origin + "/") and "." not in parts.path:
                    waiting.append(parts.path + (f"?{parts.query}" if parts.query else ""))
        return list(found.values())

    def cookie(self):
        return "; ".join(f"{one['name']}={one['value']}" for one in self.context.cookies())

    def close(self):
        self.context.close()


def problems_of_size(page):
    """Returns what is wrong with a page on a phone: it is too wide, or something is too small for a finger."""
    return page.evaluate("""least => {
      const found = [];
      const root = document.scrollingElement;
      if (root.scrollWidth > innerWidth) {
        const wide = Array.from(document.querySelectorAll("main *"))
          .filter(one => !one.closest(".scroll") && one.getBoundingClientRect().right > innerWidth);
        found.push(`it is ${root.scrollWidth} pixels wide instead of ${innerWidth}, from `
          + wide.slice(-3).map(one => one.outerHTML.slice(0, 120)).join(" and "));
      }
      for (const one of document.querySelectorAll("button, select, input:not([type=hidden]), nav a, summary")) {
        const target = one.matches("[type=checkbox], [type=radio]") ? one.closest("label") || one : one;
        const box = target.getBoundingClientRect();
        const name = `${one.tagName} “${one.textContent.trim() || one.name}”`;
        if (box.height > 0 && box.height < least - 0.5)
          found.push(`${name} is ${box.height.toFixed(0)} pixels high`);
      }
      return found;
    }""", TOUCH)


def problems_of_access(page):
    """Returns what axe finds that keeps people out."""
    found = Axe().run(page).response["violations"]
    return [f"axe: {one['impact']}: {one['help']}: {node['html'][:160]} {node.get('failureSummary', '')}"
            for one in found if one["impact"] in ("serious", "critical") for node in one["nodes"][:1]]


def glance(visitor, name, pictures=None, can_emulate=True):
    """Looks at the page that is open, without loading it again, and returns what is wrong with it.

    - name: What the page shows.
    - pictures: The folder for pictures in all sizes and both schemes; `None` for none.
    - can_emulate: Whether the browser can be asked for a dark scheme.
    """
    wrong, page = [], visitor.page
    before, language = page.viewport_size, page.locator("html").get_attribute("lang")
    for scheme in ("light", "dark") if can_emulate and pictures else ("light",):
        if can_emulate:
            page.emulate_media(color_scheme=scheme)
        for size in (DESKTOP, TABLET, PHONE) if pictures else (DESKTOP, PHONE):
            page.set_viewport_size(size)
            found = problems_of_size(page) if size is PHONE else []
            if size is not TABLET:
                found += problems_of_access(page)
            wrong += [f"{name}, {size['width']} pixels, {scheme}, {language}: {one}" for one in found]
            if pictures:
                page.screenshot(path=pictures / f"{name}-{size['width']}-{scheme}-{language}.png", full_page=True)
    if can_emulate:
        page.emulate_media(color_scheme="light")
    page.set_viewport_size(before)
    return wrong


def tour(visitor, name, pictures=None, schemes=("light", "dark"), with_axe=False, of_each=False):
    """Looks at every page in all sizes, and returns what is wrong, and the paths.

    - name: Whose pages these are.
    - pictures: The folder for pictures; `None` for none.
    """
    wrong, page, paths = [], visitor.page, visitor.addresses(of_each)
    language = page.locator("html").get_attribute("lang")
    words = collections.Counter()
    for path in paths:
        word = re.sub(r"[^a-z]+", "-", re.sub(r"[0-9a-f-]{32,36}", "", path)).strip("-") or "first"
        words[word] += 1
        word += f"-{words[word]}" if words[word] > 1 else ""
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            for size in (DESKTOP, TABLET, PHONE) if pictures else (DESKTOP, PHONE):
                page.set_viewport_size(size)
                visitor.go(path)
                found = problems_of_size(page) if size is PHONE else []
                if with_axe and (size is DESKTOP or (size is PHONE and scheme == "light")):
                    found += problems_of_access(page)
                wrong += [f"{name} {path}, {size['width']} pixels, {scheme}, {language}: {one}" for one in found]
                if pictures:
                    file = f"{name}-{word}-{size['width']}-{scheme}-{language}.png"
                    page.screenshot(path=pictures / file, full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESKTOP)
    return wrong, paths
