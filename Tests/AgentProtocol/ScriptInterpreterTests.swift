import Testing

@testable import LatchkeyAgentProtocol

/// Tests of what interpreters run: Protocol/13-agent.md §8.
@Suite struct ScriptInterpreterTests {
  @Test("A script is what an interpreter's arguments name before anything that may take it as a value")
  func scripts() {
    for (name, arguments, script) in [
      ("python3.11", ["/usr/bin/tool", "home"], "/usr/bin/tool"), ("python3", ["-sP", "/usr/bin/tool"], "/usr/bin/tool"),
      ("python3", ["-X", "/usr/bin/tool", "game.py"], nil), ("python3", ["-W", "ignore", "/usr/bin/tool"], nil),
      ("python3", ["-c", "print()"], nil), ("python3", ["-m", "pygame"], nil), ("python3", ["game.py"], nil), ("python3", [], nil),
      ("python3", ["-", "/usr/bin/tool"], nil), ("python3", ["", "/usr/bin/tool"], nil),
      ("perl", ["-I", "/usr/bin/x", "game.pl"], nil), ("perl", ["-w", "/usr/bin/tool"], "/usr/bin/tool"),
      ("java", ["-Xmx1G", "-jar", "/usr/share/x.jar"], "/usr/share/x.jar"), ("java", ["-cp", "/usr/share/x.jar", "Main"], nil),
      ("gjs-console", ["-m", "/usr/share/gnome-shell/x"], "/usr/share/gnome-shell/x"),
    ] as [(String, [String], String?)] {
      #expect(ScriptInterpreters.script(in: arguments, of: name) == script, "\(name) \(arguments)")
    }
    for name in ["python3.11", "python", "perl5.36.0", "java", "wine64-preloader", "node", "gjs-console", "lua5.4"] {
      #expect(ScriptInterpreters.contains(name))
    }
    for name in ["pythonic", "javascript", "phpstorm", "nodeview", "perlbrew", "bash", "qmlplugindump"] {
      #expect(!ScriptInterpreters.contains(name), "\(name)")
    }
  }
}
