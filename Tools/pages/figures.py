"""Figures of the pages: how large they are, how fast they are answered, and what they take of memory."""
import http.client
import random
import statistics
import time
import urllib.parse

from family import DAY, PROGRAMS, Fault, memory

MOST_BYTES = 200_000


def first_transfer(run, visitor, path):
    """Returns the bytes that a browser without any file gets for a page."""
    context = run.browser.new_context()
    context.add_cookies(visitor.context.cookies())
    page = context.new_page()
    done = []
    page.on("requestfinished", lambda request: done.append(request))
    page.goto(visitor.origin + path)
    # Not what its script asks for later.
    sizes = [one.sizes() for one in done if one.resource_type in ("document", "stylesheet", "script")]
    context.close()
    return sum(one["responseBodySize"] + one["responseHeadersSize"] for one in sizes)


def answers(visitor, path, count):
    """Returns in how many milliseconds a page was answered, the slow ones last."""
    place = urllib.parse.urlsplit(visitor.origin)
    headers = {"Host": place.netloc, "Cookie": visitor.cookie(), "Latchkey-Part": "1"}
    connection, taken = http.client.HTTPConnection("127.0.0.1", place.port, timeout=30), []
    for _ in range(count):
        began = time.perf_counter()
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise Fault(f"{path} is answered with {answer.status}")
        taken.append((time.perf_counter() - began) * 1_000)
    connection.close()
    return sorted(taken)


def table(run, visitor, count):
    """Prints a line for each page, and returns the slowest p95."""
    slowest = 0
    for path in visitor.addresses():
        taken, size = answers(visitor, path, count), first_transfer(run, visitor, path)
        p95 = taken[int(len(taken) * 0.95)]
        slowest = max(slowest, p95)
        print(f"  {path:60} median {statistics.median(taken):6.1f} ms, p95 {p95:6.1f} ms, {size:7,} bytes at first")
        if size > MOST_BYTES:
            run.wrong.append(f"{path} is {size} bytes at first; the most is {MOST_BYTES}.")
    return slowest


def of_a_day(run):
    for node in (run.family.parent, run.family.emma):
        visitor = run.visit(node)
        table(run, visitor, 20)
        run.leave(visitor)
    return memories(run)


def memories(run):
    node, web = memory(run.family.parent.process.pid), memory(run.family.parent.web())
    return (f"the parent's node takes {node[0]:.0f} MB ({node[1]:.0f} MB of its own), its pages {web[0]:.0f} MB "
            f"({web[1]:.0f} MB of their own)")


def of_a_year(run):
    """The pages with 100,000 records of a year of two children, and the bounds on them."""
    family, now, chance = run.family, int(time.time()) * 1_000, random.Random(1)
    pause = 365 * DAY // 50_000
    plans = []
    for node, child in ((family.emma, "Emma"), (family.ben, "Ben")):
        starts = [now - 365 * DAY + number * pause for number in range(50_000)]
        plans.append((node, child, [(chance.choice(PROGRAMS), start, start + pause * 8 // 10) for start in starts]))
    family.remember(plans)
    visitor = run.visit(family.parent)
    visitor.page.goto("about:blank")
    answers(visitor, "/", 20)
    without = memory(family.parent.process.pid)[1]
    tabs = [visitor.context.new_page() for _ in range(3)]
    for tab in tabs:
        tab.goto(visitor.origin)
    with_pages = memory(family.parent.process.pid)[1]
    for tab in tabs:
        tab.close()
    slowest = table(run, visitor, 100)
    rss = memory(family.parent.web())[0]
    run.leave(visitor)
    bounds = [("p95 of the slowest page", slowest, 50, "ms"), ("memory of the pages' process", rss, 45, "MB"),
              ("what open pages add to the node", with_pages - without, 1, "MB")]
    for name, value, most, unit in bounds:
        print(f"  {name}: {value:.1f} {unit}, at most {most}")
        if value > most:
            run.wrong.append(f"{name} is {value:.1f} {unit} instead of at most {most}.")
    return memories(run)
