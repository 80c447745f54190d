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

  @Test("What arguments name from a folder has an absolute path, which decides nothing about scripts of the system")
  func relative() {
    for (path, folder, place) in [
      ("x.py", "/home/emma", "/home/emma/x.py"), ("./a/../x.py", "/home/emma/", "/home/emma/x.py"),
      ("../../../etc/x", "/home/emma", "/etc/x"), ("x", "/", "/x"), ("x", "/home/emma (deleted)", nil),
      ("x", "(unreachable)/home", nil), ("/opt//./a/../x", "/gone (deleted)", "/opt/x"),
      ("/proc/self/cwd/a/x", "/home/emma", "/home/emma/a/x"), (String(repeating: "a", count: 4_096), "/b", nil),
    ] as [(String, String, String?)] {
      #expect(ScriptInterpreters.place(of: path, from: folder) == place, "\(path)")
    }
    for (name, arguments, file) in [
      ("python3", ["-u", "x.py"], "x.py"), ("python3", ["/opt/x.py", "y"], "/opt/x.py"), ("python3", ["-m", "x"], nil),
      ("python3", ["-c", "x"], nil), ("python3", ["", "x"], nil), ("bash", ["-e", "./run.sh"], "./run.sh"),
      ("bash", ["-c", "./run.sh"], nil), ("bash", ["-l"], nil), ("sh", ["+x", "run"], "run"),
    ] as [(String, [String], String?)] {
      #expect(ScriptInterpreters.file(in: arguments, of: name) == file, "\(name) \(arguments)")
    }
    let found = ScriptInterpreters.places(in: ["-X", "dev", "x.py", "/opt/y", "./x.py"], from: "/home/emma")
    #expect(found.paths == ["/home/emma/dev", "/home/emma/x.py"] && !found.isCut)
    let other = ["/home//emma/x.py", "/home/./emma/x.py", "/proc/7/cwd/x.py", "/", "-"]
    #expect(ScriptInterpreters.places(in: other, from: "/home/emma").paths == ["/home/emma/x.py"])
    let long = String(repeating: "a", count: 3_000)
    let many = ScriptInterpreters.places(in: (0..<8).map { "\($0)\(long)" }, from: "/home/emma")
    #expect(many.paths.count == 5 && many.isCut)
    #expect(ScriptInterpreters.isNamed("/home/emma/games/run.sh", in: ["games/run.sh"]))
    #expect(!ScriptInterpreters.isNamed("/dev/pts/run.sh", in: ["run.sh"]))
    #expect(!ScriptInterpreters.isNamed("/home/emma/other", in: ["run.sh", "/home/emma/other"]))
    #expect(ScriptInterpreters.script(in: ["x.py"], of: "python3") == nil)
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
