"""What other sites, used links, many pages and a node that is away do to the pages."""
import contextlib
import http.client
import signal
import time
import urllib.parse

from family import Fault, memory

STREAMS, TABS = 200, 12


def expect(is_so, sentence):
    if not is_so:
        raise Fault(sentence)


def refused(run, playwright, chromium):
    """Another name of the same address, and a link that was used."""
    mum = run.visit(run.family.parent)
    port = urllib.parse.urlsplit(mum.origin).port
    rebound = playwright.chromium.launch(executable_path=chromium, chromium_sandbox=True,
                                         args=["--host-resolver-rules=MAP evil.example 127.0.0.1"])
    with contextlib.closing(rebound):
        page = rebound.new_page()
        answer = page.goto(f"http://evil.example:{port}/")
        expect(answer.status == 421, f"a name that leads here is answered with {answer.status} instead of 421.")
        own = urllib.parse.urlsplit(mum.origin).hostname
        expect(own not in answer.text(), "the refusal tells the pages' own name.")
    file = run.family.parent.opened("dashboard")
    page_of_link = file.read_text()
    again = file.with_name("again.html")
    again.write_text(page_of_link)
    for path, status in ((file, 200), (again, 410)):
        context = run.browser.new_context()
        page = context.new_page()
        with page.expect_response("**/in") as answer:
            page.goto(path.as_uri())
        expect(answer.value.status == status, f"a link is answered with {answer.value.status} instead of {status}.")
        context.close()
    again.unlink()
    expect(not file.exists(), "the file of a link that was used is still there.")
    run.leave(mum)


def many(run):
    """Many streams are open at once, and the pages of a browser, which share one."""
    mum = run.visit(run.family.parent)
    place = urllib.parse.urlsplit(mum.origin)
    process = run.family.parent.web()
    before, node_before = memory(process), memory(run.family.parent.process.pid)
    streams, headers = [], {"Host": place.netloc, "Cookie": mum.cookie()}
    with contextlib.ExitStack() as stack:
        for _ in range(STREAMS):
            connection = http.client.HTTPConnection("127.0.0.1", place.port, timeout=10)
            stack.callback(connection.close)
            connection.request("GET", "/live", headers=headers)
            answer = connection.getresponse()
            expect(answer.status == 200 and answer.readline().startswith(b": open"), "a stream is not open.")
            answer.readline()
            streams.append(answer)
        mum.go()
        mum.sees("Emma")
        # Each hears of the same change.
        run.family.parent.command("grant", "Emma", "1m")
        for answer in streams:
            expect(answer.readline() == b"data: change\n", "a page is not told of a change.")
        pages = [mum.context.new_page() for _ in range(TABS)]
        for page in pages:
            page.goto(mum.origin)
        run.family.parent.command("limit", "set", "--child", "Emma", "--today", "5h")
        for page in pages:
            page.get_by_text("of 5 h").first.wait_for()
            page.close()
        after, node_after = memory(process), memory(run.family.parent.process.pid)
    mum.go()
    run.leave(mum)
    expect(after[1] - before[1] < 64, f"{STREAMS} pages take {after[1] - before[1]:.0f} MB.")
    return (f"{STREAMS} open pages take {after[1] - before[1]:.1f} MB of the pages' process and "
            f"{node_after[1] - node_before[1]:.1f} MB of the node")


def away(run):
    """The node ends while pages are open: they say so, and are right again when it is back."""
    parent, said, taken = run.family.parent, [], []
    mum, late = run.visit(parent), run.visit(parent)
    for how in (signal.SIGTERM, signal.SIGKILL):
        with mum.quiet(), late.quiet():
            parent.end(by=how)
            line = mum.page.locator("#connection")
            line.wait_for(state="visible")
            said.append(line.inner_text())
            # A page that is opened meanwhile.
            status = late.page.goto(late.origin).status
            expect(status == 503, f"a page without its node is answered with {status} instead of 503.")
            parent.start()
            began = time.monotonic()
            line.wait_for(state="hidden", timeout=60_000)
            late.page.get_by_role("heading", name="Today", exact=True).wait_for(timeout=30_000)
            taken.append(time.monotonic() - began)
            mum.sees("Emma")
    run.leave(mum, late)
    return f"pages say “{said[0]}” and are back {max(taken):.1f} s after the node"
