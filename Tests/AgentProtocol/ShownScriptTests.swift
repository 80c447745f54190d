import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of the programs that an argument spares, and of those that it closes:
/// Protocol/13-agent.md §8.
@Suite struct ShownScriptTests {
  private static let script = "/home/emma/homework.py"

  private static func facts(
    _ path: String, _ arguments: String, certain: String? = nil, pid: Int32 = 5, parent: Int32 = 0,
    hasMore: Bool = false, isFromTerminal: Bool = true
  ) -> ProcessFacts {
    ProcessFacts(
      identity: AgentRig.process(pid), parent: parent, account: 1_000, startedAt: .init(milliseconds: 10), name: "x",
      arguments: arguments, hasMoreArguments: hasMore, script: certain ?? "", certainScript: certain,
      images: [.init(path: path)], isFromTerminal: isFromTerminal)
  }

  /// Returns a machine that closes unknown and other programs, and has an application with an
  /// argument.
  private static func rig(_ pattern: String, closesAt: Int64? = nil, always: Bool = false) -> AgentRig {
    var rig = AgentRig()
    let others = ProgramOrder(
      app: .otherPrograms, category: .neutral,
      terms: ProgramTerms(closesAt: .init(milliseconds: 0), reason: "a lock"),
      matchers: [AppMatcher(kind: .path, value: "/usr/bin/office")])
    rig.order(
      [
        AgentRig.game(
          closesAt: closesAt, always: always, category: .neutral,
          matchers: [AppMatcher(kind: .argument, value: pattern)]),
        others,
      ], unknown: ProgramTerms(closesAt: .init(milliseconds: 0), reason: "a lock"), at: 1)
    _ = rig.news()
    return rig
  }

  private func told(_ facts: ProcessFacts, _ pattern: String = script, always: Bool = false) -> [String] {
    var rig = Self.rig(pattern, always: always)
    rig.take(rig.machine.saw(facts, at: .init(milliseconds: 20)))
    return rig.news()
  }

  @Test("An allowed script spares what runs it, and nothing that only has its path among its arguments")
  func spared() {
    let closed = ["kill 5", "killed 5 latchkey.other"]
    let python = "/usr/bin/python3.11"
    for always in [false, true] {
      for facts in [
        Self.facts(python, "python3 \(Self.script)", certain: Self.script),
        Self.facts(python, "python3 homework.py \(Self.script)", certain: Self.script, hasMore: true),
        Self.facts("/usr/bin/env", "env python3 \(Self.script)", certain: Self.script),
      ] { #expect(told(facts, always: always) == ["began 5 kart since 10"], "\(facts)") }
      for facts in [
        Self.facts(python, "python3 -c game() \(Self.script)"),
        Self.facts(python, "python3 -c game()", hasMore: true),
        Self.facts(python, "python3 game.py \(Self.script)", certain: "/home/emma/game.py"),
        Self.facts(python, "python3 \(Self.script).py", certain: Self.script + ".py"),
        Self.facts("/usr/bin/bash", "bash -c game \(Self.script)"),
        Self.facts("/usr/games/racer", "racer \(Self.script)"),
        Self.facts("/usr/bin/timeout", "timeout 9 python3 \(Self.script)"),
        Self.facts("/usr/bin/office", "office \(Self.script)", isFromTerminal: false),
        Self.facts(
          "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "ld.so --preload ./game.so /usr/bin/python3 \(Self.script)",
          certain: Self.script, isFromTerminal: false),
      ] { #expect(told(facts, always: always) == closed, "\(facts)") }
    }
  }

  @Test("A pattern spares an interpreter by its script, and a program of root's if it names no file")
  func patterns() {
    let (java, web) = ("java*craft.jar", "*--app-id=maths*")
    let wrapper = "/usr/share/lutris/bin/lutris-wrapper"
    for (path, arguments, certain, pattern, isSpared) in [
      ("/usr/bin/java", "java -jar /home/emma/craft.jar", "/home/emma/craft.jar", java, true),
      ("/usr/bin/java", "java -jar /home/emma/x.jar craft.jar", "/home/emma/x.jar", java, false),
      ("/usr/bin/java", "java -cp x.jar Game craft.jar", nil, java, false),
      ("/usr/bin/python3.11", "python3 \(wrapper) Kart", wrapper, "*lutris-wrapper*Kart*", true),
      ("/usr/bin/python3.11", "python3 -c game() lutris-wrapper Kart", nil, "*lutris-wrapper*Kart*", false),
      ("/usr/lib/chromium/chromium", "chromium --app-id=maths", nil, web, true),
      ("/usr/bin/python3.11", "python3 -c game() --app-id=maths", nil, web, false),
      ("/usr/games/racer", "racer /home/emma/homework.py", nil, "*/homework.py", false),
      ("/usr/lib/wine/wine64-preloader", #"C:\a b\homework.exe x"#, nil, "*homework.exe", true),
      ("/usr/lib/wine/wine64-preloader", #"C:\a b\game.exe homework.exe"#, nil, "*homework.exe", false),
    ] as [(String, String, String?, String, Bool)] {
      let news = told(Self.facts(path, arguments, certain: certain), pattern)
      let expected = isSpared ? ["began 5 kart since 10"] : ["kill 5", "killed 5 latchkey.other"]
      #expect(news == expected, "\(path) \(arguments) \(pattern)")
    }
  }

  @Test("A rule that closes an application closes whatever has its pattern among its arguments")
  func closed() {
    for facts in [
      Self.facts("/usr/bin/python3.11", "python3 -c game() \(Self.script)"),
      Self.facts("/usr/libexec/helper", "helper", hasMore: true, isFromTerminal: false),
      Self.facts("/usr/libexec/helper", "helper \(Self.script)", isFromTerminal: false),
      Self.facts("/usr/lib/ld-linux.so.2", "ld.so /usr/bin/python3 homework.py \(Self.script)", certain: Self.script),
    ] {
      var rig = Self.rig(Self.script, closesAt: 0)
      rig.take(rig.machine.saw(facts, at: .init(milliseconds: 20)))
      #expect(rig.news() == ["kill 5", "killed 5 kart"], "\(facts)")
    }
  }

  @Test("Arguments that only may name what is always allowed pass on nothing that would spare a program")
  func passedOn() {
    for (certain, isSpared) in [(Self.script, true), (nil, false)] {
      var rig = Self.rig(Self.script, always: true)
      let shell = Self.facts("/usr/bin/dash", "sh \(Self.script)", certain: certain, isFromTerminal: false)
      rig.take(rig.machine.saw(shell, at: .init(milliseconds: 20)))
      var started = Self.facts("/opt/racer/racer.bin", "racer", pid: 6, parent: 5)
      started.startedAt = .init(milliseconds: 21)
      rig.take(rig.machine.saw(started, at: .init(milliseconds: 22)))
      #expect(rig.deeds == (isSpared ? [] : ["kill 6"]))
    }
  }

  @Test("Of what an interpreter or a shell runs, only what nothing else can be meant by is certain")
  func certain() {
    for (name, arguments, file) in [
      ("python3.11", ["x.py"], "x.py"), ("python3", ["-sP", "/opt/x.py", "-c"], "/opt/x.py"),
      ("python3", ["-c", "/opt/x.py"], nil), ("python3", ["-m", "/opt/x.py"], nil),
      ("python3", ["-X", "/opt/x.py"], nil), ("python3", ["-", "/opt/x.py"], nil), ("python3", ["", "/opt/x.py"], nil),
      ("python3", ["-uc", "/opt/x.py"], nil), ("perl", ["-e", "/opt/x.pl"], nil), ("perl", ["-w", "x.pl"], "x.pl"),
      ("node", ["-e", "/opt/x.js"], nil), ("node", ["-r", "y.js", "/opt/x.js"], nil), ("node", ["x.js"], "x.js"),
      ("lua5.4", ["-e", "/opt/x.lua"], nil), ("ruby", ["-rx", "/opt/x.rb"], nil), ("php", ["-r", "/opt/x"], nil),
      ("java", ["-Xmx1G", "-Da=b", "-jar", "x.jar"], "x.jar"), ("java", ["-cp", "x.jar", "Main"], nil),
      ("java", ["-Xbootclasspath/p:y.jar", "-jar", "x.jar"], nil), ("java", ["@x", "/opt/x.jar"], nil),
      ("java", ["-javaagent:y.jar", "-jar", "x.jar"], nil), ("gdb", ["/opt/x", "-ex", "y"], nil),
      ("busybox", ["/opt/x.sh"], nil), ("sbcl", ["/opt/x.lisp"], nil), ("dosbox", ["/opt/x"], nil),
      ("bash", ["-e", "x.sh"], "x.sh"), ("bash", ["-c", "/opt/x.sh"], nil), ("bash", ["-s", "/opt/x.sh"], nil),
      ("bash", ["-o", "/opt/x.sh"], nil), ("bash", ["--rcfile", "/opt/x.sh"], nil), ("bash", ["-i", "/opt/x.sh"], nil),
      ("bash", ["+x", "/opt/x.sh"], nil), ("csh", ["-f", "x.csh"], "x.csh"), ("fish", ["-f", "/opt/x.fish"], nil),
      ("env", ["python3", "x.py"], "x.py"), ("env", ["-S", "python3", "x.py"], nil),
      ("env", ["-Spython3 -u", "x.py"], "x.py"), ("env", ["-S python3 -c", "x.py"], nil),
      ("env", ["-u", "A", "python3", "x.py"], nil), ("env", ["A=b", "python3", "x.py"], nil),
      ("env", ["python3", "-c", "x.py"], nil), ("env", ["racer", "/opt/x.py"], nil),
      ("nice", ["python3", "/opt/x.py"], nil), ("timeout", ["9", "/opt/x.py"], nil), ("racer", ["/opt/x.py"], nil),
      ("wine", [#"C:\x.exe"#], #"C:\x.exe"#), ("wine64-preloader", ["/usr/lib/wine/wine64", "x.exe"], "x.exe"),
    ] as [(String, [String], String?)] {
      #expect(ScriptInterpreters.certainFile(in: arguments, of: name) == file, "\(name) \(arguments)")
    }
    for (name, arguments, isUndecided) in [
      ("bash", ["-e"], true), ("bash", ["-O", "extglob", "-e"], true), ("bash", ["-e", "x.sh"], false),
      ("bash", ["-c", "x"], false), ("python3", ["-X", "dev"], true), ("python3", ["x.py", "-X"], false),
      ("java", ["-cp", "x.jar"], true), ("python3", ["-u", "-m", "x"], false), ("python3", ["-um", "x"], true),
      ("perl", ["-w", "-lne", "x"], false), ("perl", ["-e", "x"], false), ("perl", ["-Mre", "x.pl"], true),
      ("lua", ["-e", "x"], true),
    ] {
      #expect(ScriptInterpreters.isUndecided(arguments, of: name) == isUndecided, "\(name) \(arguments)")
    }
    for (file, folder, place) in [
      ("/opt//./x.py", nil, "/opt/x.py"), ("/opt/a/../x.py", "/opt", nil), ("/proc/self/cwd/x.py", "/opt", nil),
      ("/dev/fd/3", "/opt", nil), ("x.py", "/opt", "/opt/x.py"), ("./../x.py", "/opt/a", "/opt/x.py"),
      ("a/../x.py", "/opt", nil), ("x.py", nil, nil), ("x.py", "/opt (deleted)", nil),
    ] as [(String, String?, String?)] {
      #expect(ScriptInterpreters.certainPlace(of: file, from: folder) == place, "\(file)")
    }
  }
}
