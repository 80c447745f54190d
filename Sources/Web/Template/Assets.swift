import LatchkeyModel
import LatchkeyProtocol

/// The files that pages load.
///
/// Their names contain hashes, so that browsers can keep them for ever.
struct Assets: Sendable {
  struct File: Sendable {
    var type: String
    var bytes: [UInt8]
  }

  static let all = Assets([
    ("style", "css", "text/css; charset=utf-8", StyleSheet.text),
    ("script", "js", "text/javascript; charset=utf-8", PageScript.text), ("icon", "svg", "image/svg+xml", icon),
  ])

  private static let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2268b2" stroke-width="2.5">\
    <circle cx="8" cy="12" r="5"/><path d="M13 12h9M18 12v4M22 12v3"/></svg>

    """

  let files: [String: File]
  /// The path of each file by its name without the hash.
  let paths: [String: String]

  private init(_ assets: [(name: String, ending: String, type: String, text: String)]) {
    var (files, paths): ([String: File], [String: String]) = ([:], [:])
    for asset in assets {
      let bytes = [UInt8](asset.text.utf8)
      let path = "/\(asset.name)-\(Hexadecimal.encode(Array(SHA256.hash(bytes).prefix(8)))).\(asset.ending)"
      files[path] = File(type: asset.type, bytes: bytes)
      paths[asset.name] = path
    }
    (self.files, self.paths) = (files, paths)
  }

  /// Returns the answer with the file at a path; `nil` if there is none.
  func answer(_ path: String, kept: String = "public, max-age=31536000, immutable") -> WebAnswer? {
    files[path].map { WebAnswer(200, [("Content-Type", $0.type), ("Cache-Control", kept)], body: .bytes($0.bytes)) }
  }
}

/// The one script of all pages, which keeps them up to date.
///
/// The pages work without it.
enum PageScript {
  static let text = #"""
    "use strict";
    (() => {
      // Asks for the page again at each change that the one stream tells of, and puts in what
      // differs.
      const connection = document.getElementById("connection");
      const isPage = document.querySelector("[data-live]") !== null;
      // A browser has six connections to a site, of which a stream takes one: its pages share a
      // stream. The page that holds the lock has it, and tells the others.
      const others = new BroadcastChannel("changes");
      let stream = null, isOn = false, waiting = null, release = null;
      let isFetching = false, isAgain = false, timer = 0, tries = 0;
      const held = new Set();
      let holding = 0, isSent = false, isLate = false;

      const say = (sentence) => {
        if (!connection || connection.textContent === sentence) return;
        connection.textContent = sentence;
        connection.hidden = sentence === "";
      };

      // A part in which somebody types, or has typed, is left as it is.
      const isInUse = (part) => {
        if (part.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")) return true;
        return Array.from(part.querySelectorAll("input:not([type=hidden]), textarea"))
          .some((field) => field.value !== field.defaultValue);
      };

      // The key of a form is another one in each page that is made, and is no news by itself.
      const shown = (part) => {
        const copy = part.cloneNode(true);
        copy.querySelectorAll("input[name=key]").forEach((field) => field.removeAttribute("value"));
        return copy.innerHTML;
      };

      const put = (text) => {
        const fresh = new DOMParser().parseFromString(text, "text/html");
        const parts = Array.from(document.querySelectorAll("[data-live]"));
        const news = Array.from(fresh.querySelectorAll("[data-live]"));
        if (news.length === 0) return false;
        // It is another page by now, such as that of somebody else who is there.
        if (fresh.title !== document.title) { location.reload(); return true; }
        for (const part of parts) {
          const other = news.find((one) => one.id === part.id);
          if (other && shown(other) !== shown(part) && !isInUse(part)) {
            const hadFocus = part.contains(document.activeElement) ? document.activeElement : null;
            const place = hadFocus ? Array.from(part.querySelectorAll("a, button")).indexOf(hadFocus) : -1;
            part.innerHTML = other.innerHTML;
            if (place >= 0) (part.querySelectorAll("a, button")[place] || part).focus();
          }
        }
        return true;
      };

      // A browser loses the press of a button that is replaced while a finger, a mouse button or a
      // key is down on it, and a page that is loaded again loses the form that was just sent. So
      // nothing is changed meanwhile. A page is not always told of a release, so it waits three
      // seconds at most. A tap's click follows a moment after its release.
      const letGo = () => {
        holding = 0;
        isSent = false;
        held.clear();
        if (isLate) { isLate = false; look(); }
      };
      const hold = (milliseconds) => {
        clearTimeout(holding);
        holding = setTimeout(letGo, milliseconds);
      };
      const pressed = (event) => { held.add(event.pointerId ?? event.code); hold(3000); };
      const released = (event) => {
        held.delete(event.pointerId ?? event.code);
        if (holding && !isSent && held.size === 0) hold(300);
      };
      const sent = () => { isSent = true; hold(3000); };

      const look = async () => {
        if (isFetching) { isAgain = true; return; }
        isFetching = true;
        try {
          const answer = await fetch(location.href, { headers: { "Latchkey-Part": "1" }, cache: "no-store" });
          const text = await answer.text();
          if (holding) {
            isLate = true;
          } else if (answer.ok && put(text)) {
            say("");
          } else if (answer.status === 401) {
            say(connection?.dataset.out);
            stop();
          } else {
            const fault = new DOMParser().parseFromString(text, "text/html").querySelector(".fault-text");
            const sentence = fault ? fault.textContent : connection?.dataset.silent;
            const said = document.querySelector(".fault-text");
            say(said && said.textContent === sentence ? "" : sentence);
          }
        } catch (error) {
          if (holding) isLate = true; else say(connection?.dataset.over);
        }
        isFetching = false;
        if (isAgain) { isAgain = false; setTimeout(look, 500); }
      };

      const hear = () => { look(); others.postMessage(null); };

      // A browser does not tell a page that its stream was cut while the machine slept or the page
      // was hidden.
      const open = () => {
        stream = new EventSource("/live");
        stream.onopen = () => { tries = 0; hear(); };
        stream.onmessage = hear;
        stream.onerror = () => {
          stop();
          tries += 1;
          look();
          if (tries < 20) setTimeout(start, Math.min(tries, 5) * 1000);
        };
      };

      const start = () => {
        if (isOn || document.visibilityState !== "visible") return;
        isOn = true;
        timer = setInterval(look, 30000);
        if (!navigator.locks) { open(); return; }
        waiting = new AbortController();
        navigator.locks.request("changes", { signal: waiting.signal }, () => new Promise((resolve) => {
          release = resolve;
          open();
        })).catch(() => {});
        // What has changed before this page could be told of it.
        setTimeout(() => { if (isOn && !stream) look(); }, 500);
      };

      const stop = () => {
        isOn = false;
        clearInterval(timer);
        if (stream) stream.close();
        if (waiting) waiting.abort();
        if (release) release();
        stream = waiting = release = null;
      };

      // The code of a phone's sign-in stands behind the address, which no server is sent.
      const form = document.getElementById("code-form");
      if (form && location.hash.length > 1) {
        document.getElementById("code").value = location.hash.slice(1);
        history.replaceState(null, "", location.pathname);
        form.submit();
      }

      if (isPage) {
        for (const name of ["pointerdown", "keydown"]) addEventListener(name, pressed, true);
        for (const name of ["pointerup", "pointercancel", "keyup"]) addEventListener(name, released, true);
        addEventListener("submit", sent, true);
        others.onmessage = look;
        document.addEventListener("visibilitychange", () => {
          if (document.visibilityState === "visible") { tries = 0; start(); look(); } else { stop(); }
        });
        addEventListener("pagehide", stop);
        addEventListener("pageshow", start);
        // A hidden page is open all the same.
        setInterval(() => { fetch("/alive", { cache: "no-store" }).catch(() => {}); }, 240000);
        start();
      }
    })();

    """#
}
