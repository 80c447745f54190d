import Testing

@testable import LatchkeyAgentProtocol

/// Tests of what interpreters run: Protocol/13-agent.md §8.
@Suite struct ScriptInterpreterTests {
  @Test("A script is what an interpreter's arguments name before anything that may take it as a value")
  func scripts() {
    for (name, arguments, script) in [
      ("python3.11", ["/usr/bin/tool", "home"], "/usr/bin/tool"),
      ("python3", ["-sP", "/usr/bin/tool"], "/usr/bin/tool"),
      ("python3", ["-X", "/usr/bin/tool", "game.py"], nil), ("python3", ["-W", "ignore", "/usr/bin/tool"], nil),
      ("python3", ["-c", "print()"], nil), ("python3", ["-m", "pygame"], nil), ("python3", ["game.py"], nil),
      ("python3", [], nil),
      ("python3", ["-", "/usr/bin/tool"], nil), ("python3", ["", "/usr/bin/tool"], nil),
      ("perl", ["-I", "/usr/bin/x", "game.pl"], nil), ("perl", ["-w", "/usr/bin/tool"], "/usr/bin/tool"),
      ("java", ["-Xmx1G", "-jar", "/usr/share/x.jar"], "/usr/share/x.jar"),
      ("java", ["-cp", "/usr/share/x.jar", "Main"], nil),
      ("tclsh", ["-w", "/usr/bin/tool"], nil), ("php", ["-t", "/usr/bin/tool"], nil),
      ("gjs-console", ["-m", "/usr/share/gnome-shell/x"], "/usr/share/gnome-shell/x"),
    ] as [(String, [String], String?)] {
      #expect(ScriptInterpreters.script(in: arguments, of: name) == script, "\(name) \(arguments)")
    }
    for name in ["python3.11", "python", "perl5.36.0", "java", "wine64-preloader", "node", "gjs-console", "lua5.4"] {
      #expect(ScriptInterpreters.contains(name))
    }
    #expect(
      ScriptInterpreters.contains("luajit-2.1.0-beta3") && ScriptInterpreters.contains("perl5.36-x86_64-linux-gnu"))
    for name in [
      "pythonic", "javascript", "phpstorm", "nodeview", "perlbrew", "bash", "qmlplugindump", "Rhythmbox",
      "luanti", "perla", "winery",
    ] {
      #expect(!ScriptInterpreters.contains(name), "\(name)")
    }
  }

  @Test("A shell runs a script or a text, or asks a person")
  func shells() {
    for (arguments, script) in [
      ([], nil), (["-l"], nil), (["-i"], nil), (["--login"], nil), (["-c", "while :; do :; done"], ""),
      (["-lc", "game"], ""),
      (["game.sh"], ""), (["/usr/bin/startx"], "/usr/bin/startx"), (["-e", "/home/emma/game"], "/home/emma/game"),
    ] as [([String], String?)] {
      #expect(ScriptInterpreters.shellScript(in: arguments) == script, "\(arguments)")
    }
  }
}
