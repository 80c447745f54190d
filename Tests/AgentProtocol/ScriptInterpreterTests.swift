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
      ("../../../etc/x", "/home/emma", "/etc/x"), ("x", "/", "/x"), ("../x", "/home/emma/q (deleted)", "/home/emma/x"),
      ("x", "(unreachable)/home", nil), ("/opt//./a/../x", "/gone (deleted)", "/opt/x"),
      ("/opt//x", nil, "/opt/x"), ("x", nil, nil), (String(repeating: "a", count: 4_096), "/b", nil),
    ] as [(String, String?, String?)] {
      #expect(ScriptInterpreters.place(of: path, from: folder) == place, "\(path)")
    }
    for (name, arguments, file) in [
      ("python3", ["-u", "x.py"], "x.py"), ("python3", ["/opt/x.py", "y"], "/opt/x.py"), ("python3", ["-m", "x"], nil),
      ("python3", ["-c", "x"], nil), ("python3", ["", "x"], nil), ("bash", ["-e", "./run.sh"], "./run.sh"),
      ("bash", ["-c", "./run.sh"], nil), ("bash", ["-l"], nil), ("sh", ["+x", "run"], "run"),
    ] as [(String, [String], String?)] {
      #expect(ScriptInterpreters.file(in: arguments, of: name) == file, "\(name) \(arguments)")
    }
    let links = links("/home/emma")
    let found = ScriptInterpreters.places(in: ["-X", "dev", "x.py", "/opt/y", "./x.py"], link: links)
    #expect(found.paths == ["/home/emma/dev", "/home/emma/x.py"] && !found.isCut)
    let other = ["/home//emma/x.py", "/home/./emma/x.py", "/proc/7/cwd/x.py", "/", "-", "/dev/null"]
    #expect(ScriptInterpreters.places(in: other, link: links).paths == ["/home/emma/x.py"])
    let long = String(repeating: "a", count: 3_000)
    let many = ScriptInterpreters.places(in: (0..<8).map { "\($0)\(long)" }, link: links)
    #expect(many.paths.count == 5 && many.isCut)
    #expect(ScriptInterpreters.isNamed("/home/emma/games/run.sh", in: ["games/run.sh"]))
    #expect(!ScriptInterpreters.isNamed("/dev/pts/run.sh", in: ["run.sh"]))
    #expect(!ScriptInterpreters.isNamed("/home/emma/other", in: ["run.sh", "/home/emma/other"]))
    #expect(ScriptInterpreters.script(in: ["x.py"], of: "python3") == nil)
  }

  @Test("The program that the loader runs stands behind the loader's own options, whichever loader it is")
  func loader() {
    for name in [
      "ld-linux-x86-64.so.2", "ld-linux.so.2", "ld-linux-aarch64.so.1", "ld-musl-x86_64.so.1", "ld64.so.2", "ld.so.1",
      "ld-2.31.so", "ld.so", "libc.so",
    ] {
      #expect(ScriptInterpreters.isLoader(name) && ScriptInterpreters.runsAnything(name), "\(name)")
    }
    for name in ["ld", "ld.gold", "ldd", "libc.so.6", "ldconfig", "ld-game"] {
      #expect(!ScriptInterpreters.isLoader(name), "\(name)")
    }
    for (arguments, place) in [
      (["/usr/bin/python3", "game.py"], 0), (["--argv0", "x", "--library-path", "P", "--preload", "L", "python3"], 6),
      (["--inhibit-cache", "--verify", "--audit", "A", "./game", "--argv0"], 4), (["--", "./game"], 1),
      (["--library-path=P", "--preload=L", "./game"], 2), (["--list", "./game"], 1), (["-x", "./game"], 0),
      (["--inhibit-rpath", "--argv0", "--glibc-hwcaps-mask", "x", "./game"], 4),
      ([], nil), (["--"], nil), (["--help"], nil), (["--argv0"], nil), (["--argv0", "x"], nil),
      (["--library-pathx", "./game"], nil),
    ] as [([String], Int?)] {
      #expect(ScriptInterpreters.placeOfLoaded(in: arguments) == place, "\(arguments)")
    }
  }

  @Test("What arguments name inside of themselves counts: values of options, parts of lists, and a module of Python's")
  func inside() {
    for (name, arguments, files) in [
      ("python3.11", ["-m", "game"], ["game.py", "game/__main__.py"]),
      (
        "python3", ["-uX", "dev", "-Bm", "levels.game", "-m", "x"],
        [
          "levels/game.py", "levels/game/__main__.py", "x.py", "x/__main__.py",
        ]
      ),
      (
        "python3", ["-mtrace", "-t", "-mgame", "./x"],
        [
          "trace.py", "trace/__main__.py", "game.py", "game/__main__.py",
        ]
      ),
      ("pypy3", ["-Wd", "-mgame"], ["game.py", "game/__main__.py"]),
      ("python3", ["-c", "x", "-m", "game"], []), ("python3", ["game.py", "-m", "x"], []), ("python3", ["-m"], []),
      ("perl", ["-m", "game"], []), ("java", ["-cp", "a.jar:game.jar", "Main"], ["a.jar", "game.jar"]),
      ("java", ["--class-path=game.jar", "Main"], ["game.jar"]), ("node", ["--import=./game.mjs"], ["./game.mjs"]),
      ("ruby", ["-r./game.rb", "-"], ["./game.rb"]), ("bash", ["-e", "--", "game.sh"], []),
    ] as [(String, [String], [String])] {
      #expect(ScriptInterpreters.filesInside(arguments, of: name) == files, "\(name) \(arguments)")
    }
    #expect(ScriptInterpreters.filesInside((0..<99).map { "-x./\($0)" }, of: "python3").count == 64)
    let long = String(repeating: "a", count: 4_000)
    let found = ScriptInterpreters.places(
      in: ["x.py"], inside: (0..<8).map { "\($0)\(long)" }, link: links("/home/emma"))
    #expect(found.paths.count == 5 && !found.isCut, "What is left out of these makes no pattern match.")
  }

  /// Returns the links of a process in a folder that has a file and a folder open.
  private func links(_ folder: String?) -> (String) -> ScriptInterpreters.LinkTarget {
    { name in
      switch name {
      case "self/cwd", "7/cwd": folder.map { .path($0) } ?? .tooLong
      case "self/root": .path("/")
      case "self/fd/0", "self/fd/7", "12/fd/7": .path("/home/emma/x.py")
      case "self/fd/8": .path("pipe:[8]")
      case "self/fd/9": .path("/home/emma/games")
      case "self/fd/10": .path("/dev/pts/1")
      case "self/fd/11": .tooLong
      default: .none
      }
    }
  }

  @Test("A descriptor is followed however a path leads to it, also from a folder below /dev or /proc")
  func descriptors() {
    for (argument, folder) in [
      ("/dev/fd/7", "/"), ("/dev/./fd/7", "/"), ("/dev/fd/./7", "/"), ("/dev/../dev/fd/7", "/"), ("fd/7", "/dev"),
      ("7", "/proc/12/fd"), ("7", "/proc/self/fd"), ("../dev/fd/../fd/7", "/home"), ("/dev/stdin", "/"),
      ("/proc/self/fd/7", "/"), ("/proc/12/task/13/fd/7", "/"), ("/proc/thread-self/../12/fd/7", "/"),
      ("/proc/net/../fd/7", "/"), ("/dev/fd/9/../x.py", "/"), ("/proc/self/root/proc/self/fd/7", "/"),
    ] {
      #expect(ScriptInterpreters.open(argument, link: links(folder)) == "/home/emma/x.py", "\(argument)")
      #expect(ScriptInterpreters.places(in: [argument], link: links(folder)).paths == ["/home/emma/x.py"])
      #expect(ScriptInterpreters.certainPlace(of: argument, from: folder) == nil, "\(argument)")
    }
    #expect(ScriptInterpreters.open("/dev/fd/9/x.py", link: links("/")) == "/home/emma/games/x.py")
    for argument in [
      "/dev/fd/8", "/dev/fd/10", "/dev/fd/x", "/proc/fd/3", "dev/fd/7", "/opt/fd/7", "/dev/fd/-1", "/dev/tty",
      "/proc/self/cwd/x.py", "x.py", "/dev/fd/12", "-/dev/fd/7",
    ] {
      #expect(ScriptInterpreters.open(argument, link: links("/home/emma")) == nil, "\(argument)")
    }
  }

  @Test("A path whose absolute one is not known may be any script, unless it is too long for a path")
  func unknown() {
    let deep = links(nil)
    for argument in ["../x.py", "x", "/proc/self/cwd/x.py", "/dev/fd/11/x.py"] {
      #expect(ScriptInterpreters.places(in: [argument], link: deep).isCut, "\(argument)")
      #expect(ScriptInterpreters.places(in: [], inside: [argument], link: deep).isCut, "\(argument)")
    }
    let text = String(repeating: "a", count: 2_000)
    for argument in ["/opt/x.py", "/opt//x.py", "-x", text, "/dev/fd/12/x.py"] {
      #expect(!ScriptInterpreters.places(in: [argument], link: deep).isCut, "\(argument)")
    }
    // In a folder with a path that is nearly as long as a path may be.
    let folder = "/" + Array(repeating: String(repeating: "a", count: 250), count: 16).joined(separator: "/")
    let long = Array(repeating: "b", count: 100).joined(separator: "/")
    #expect(ScriptInterpreters.places(in: [long], link: links(folder)).isCut)
    let roundabout = String(repeating: "/proc/self/cwd/..", count: 9) + "/x.py"
    #expect(ScriptInterpreters.places(in: [roundabout], link: links("/")).isCut)
    let ended = ScriptInterpreters.places(in: ["x.py"]) { _ in .none }
    #expect(ended.paths.isEmpty && !ended.isCut)
  }

  @Test("What runs whatever it is given is no program that may be allowed alone")
  func runsAnything() {
    for name in ["python3.11", "bash", "zsh", "perl", "java", "wine64-preloader", "node", "env", "busybox", "mawk"] {
      #expect(ScriptInterpreters.runsAnything(name), "\(name)")
    }
    for name in ["kart", "pythonic", "gnome-chess", "firefox-esr"] { #expect(!ScriptInterpreters.runsAnything(name)) }
    #expect(ScriptInterpreters.showsScript("python3.11") && !ScriptInterpreters.showsScript("mawk"))
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
