import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of what no rule names: Protocol/13-agent.md §8.
@Suite struct OtherProgramTests {
  private static func others(closesAt: Int64?) -> ProgramOrder {
    ProgramOrder(
      app: .otherPrograms, category: .neutral,
      terms: ProgramTerms(closesAt: closesAt.map { .init(milliseconds: $0) }, reason: "Other programs: bedtime"),
      matchers: [
        AppMatcher(kind: .package, value: "webby"), AppMatcher(kind: .package, value: "gnome-shell"),
        AppMatcher(kind: .path, value: "/opt/racer/start.sh"), AppMatcher(kind: .path, value: "/usr/bin/office"),
      ])
  }

  private func facts(
    _ image: ProcessFacts.Image, flatpak: String? = nil, isFromTerminal: Bool = false, isProtected: Bool = false,
    isWritable: Bool = false, script: String? = nil, hasChildsCode: Bool = false
  ) -> ProcessFacts {
    ProcessFacts(
      identity: AgentRig.process(5), account: 1_000, startedAt: .init(milliseconds: 10), name: "x", script: script,
      images: [image], flatpak: flatpak, isFromWritablePlace: isWritable, hasChildsCode: hasChildsCode,
      isFromTerminal: isFromTerminal,
      isProtected: isProtected)
  }

  private func told(_ facts: ProcessFacts, unknown: ProgramTerms? = ProgramTerms(), closesAt: Int64? = 0) -> [String] {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: nil), Self.others(closesAt: closesAt)], unknown: unknown, at: 1)
    _ = rig.news()
    rig.take(rig.machine.saw(facts, at: .init(milliseconds: 20)))
    return rig.news()
  }

  @Test("Other programs take no room from applications: a blocked one that begins after very many is killed")
  func noRoomTaken() {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: 0), Self.others(closesAt: nil)], at: 1)
    for pid in 1...Int32(AgentMachine.capacity) { rig.see(1_000 + pid, "/usr/bin/office", start: 10, at: 20) }
    _ = rig.news()
    rig.see(5, "/usr/games/kart", start: 30, at: 40)
    #expect(rig.news() == ["kill 5", "killed 5 kart"])
  }

  @Test("An interpreter behind the loader is closed with everything, and takes nothing from what always runs")
  func loader() {
    var hidden = facts(.init(path: "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"), script: "/usr/bin/hg")
    hidden.images.append(.init(path: "/usr/bin/python3.11"))
    #expect(told(hidden).contains("kill 5"))
    #expect(!OtherPrograms.isInstalled(hidden))
  }

  @Test("What has an entry in a menu, is a Flatpak or a snap, or runs in a terminal is closed with everything")
  func closed() {
    for facts in [
      facts(.init(path: "/usr/lib/webby/webby.bin", packages: ["webby"])),
      facts(.init(path: "/usr/lib/webby/copy", copiedPackages: ["webby"])), facts(.init(path: "/usr/bin/office")),
      facts(.init(path: "/opt/racer/data/racer.bin")), facts(.init(path: "/snap/minetest/123/usr/bin/minetest")),
      facts(.init(path: "/app/bin/game"), flatpak: "org.example.Game"),
      facts(.init(path: "/usr/bin/vim.basic"), isFromTerminal: true), facts(.init(path: "/opt/other/game")),
      facts(.init(path: "/usr/games/sudoku")), facts(.init(path: "/usr/local/bin/tool")),
      facts(.init(path: "/usr/bin/python3.11"), script: "/home/emma/game.py"),
      facts(.init(path: "/usr/bin/python3.11")),
      facts(.init(path: "/usr/bin/python3.11"), script: "/usr/bin/office"),
      facts(.init(path: "/usr/bin/python3.11"), script: "/usr/lib/python3/dist-packages/pygame/aliens.py"),
      facts(.init(path: "/usr/bin/python3.11"), script: "/usr/bin/../../home/emma/game.py"),
      facts(.init(path: "/usr/lib/wine/wine64-preloader")),
      // What a mount of the child's own gives the name of a part of the desktop, or a place where
      // nothing is looked for.
      facts(.init(path: "/usr/bin/onboard", isHidden: true)), facts(.init(path: "/mnt/kart7", isHidden: true)),
      facts(.init(path: "/usr/bin/bash"), isFromTerminal: true, script: ""),
      facts(.init(path: "/usr/bin/gnome-panel"), hasChildsCode: true),
      facts(.init(path: "/srv/games/kart7")), facts(.init(path: "/home/guest/games/kart7")),
      facts(.init(path: "/usr/bin/python3.11"), script: ScriptInterpreters.elsewhere),
      facts(.init(path: "/usr/bin/bash"), isFromTerminal: true, script: "/home/emma/game.sh"),
    ] {
      #expect(told(facts) == ["kill 5", "killed 5 latchkey.other"], "\(facts)")
      #expect(told(facts, closesAt: nil) == ["began 5 latchkey.other since 10"], "\(facts)")
    }
  }

  @Test("What the desktop needs, helpers without an entry, and what is protected go on")
  func left() {
    for facts in [
      facts(.init(path: "/usr/bin/gnome-shell", packages: ["gnome-shell"]), isFromTerminal: true),
      facts(.init(path: "/usr/bin/bash"), isFromTerminal: true),
      facts(.init(path: "/usr/bin/zsh"), isFromTerminal: true),
      facts(.init(path: "/usr/bin/xscreensaver", packages: ["webby"])),
      facts(.init(path: "/usr/bin/onboard", packages: ["webby"])), facts(.init(path: "/usr/libexec/helper")),
      facts(.init(path: "/usr/bin/python3.11"), script: "/usr/bin/blueman-applet"),
      facts(.init(path: "/usr/bin/pythonic")),
      facts(.init(path: "/usr/bin/gjs-console"), script: "/usr/share/gnome-shell/notifications"),
      facts(.init(path: "/usr/bin/officer")), facts(.init(path: "/usr/bin/kaccess", packages: ["webby"])),
      facts(.init(path: "/usr/bin/xvkbd", packages: ["webby"])), facts(.init(path: "/lib/systemd/helper")),
      facts(.init(path: "/usr/bin/bash"), isFromTerminal: true, script: "/usr/bin/startx"),
      facts(.init(path: "/usr/bin/bash"), script: "/home/emma/.xsession"),
      facts(.init(path: "/usr/bin/xscreensaver-auth", packages: ["webby"])),
      facts(.init(path: "/usr/bin/latchkey"), isFromTerminal: true, isProtected: true),
    ] { #expect(told(facts) == [], "\(facts)") }
  }

  @Test("An application of its own, and an unknown program, are what they are")
  func order() {
    #expect(told(facts(.init(path: "/usr/games/kart"), isFromTerminal: true)) == ["began 5 kart since 10"])
    let unknown = facts(.init(path: "/home/emma/game"), isFromTerminal: true, isWritable: true)
    #expect(told(unknown) == ["began 5 ? since 10"])
    // Without orders for unknown programs, they are what runs in the terminal.
    #expect(told(unknown, unknown: nil) == ["kill 5", "killed 5 latchkey.other"])
  }

  @Test("The child reads which program it was")
  func words() {
    var rig = AgentRig()
    rig.order([Self.others(closesAt: 0)], at: 1)
    rig.take(rig.machine.saw(facts(.init(path: "/usr/bin/office")), at: .init(milliseconds: 20)))
    let reasons = rig.reports.compactMap { if case .closed(_, _, let reason, _) = $0.event { reason } else { nil } }
    #expect(reasons == ["“office”: bedtime"])
    #expect(ClosingSentence.closed(reason: reasons[0], deed: .asked).worded() == "“office” was closed: bedtime.")
  }

  @Test("What is closed is reported with what recognizes it alone: its own path, script, Flatpak, snap or package")
  func matchers() {
    func matchers(_ facts: ProcessFacts, unknown: ProgramTerms? = nil) -> [String] {
      var rig = AgentRig()
      rig.order([AgentRig.game(closesAt: 0), Self.others(closesAt: 0)], unknown: unknown, at: 1)
      rig.take(rig.machine.saw(facts, at: .init(milliseconds: 20)))
      let found = rig.reports.compactMap { if case .closed(_, _, _, let matchers) = $0.event { matchers } else { nil } }
      return found.first?.map(\.text) ?? ["not closed"]
    }
    let python = "/usr/bin/python3.11"
    #expect(matchers(facts(.init(path: "/usr/games/kart"))) == [], "An application is known by its ID.")
    #expect(matchers(facts(.init(path: "/usr/bin/office"))) == ["path /usr/bin/office"])
    #expect(
      matchers(facts(.init(path: "/usr/lib/webby/webby.bin", packages: ["webby"])))
        == ["path /usr/lib/webby/webby.bin", "package webby"])
    #expect(
      matchers(facts(.init(path: "/app/bin/game", isHidden: true), flatpak: "org.example.Game"))
        == ["flatpak org.example.Game"])
    #expect(
      matchers(facts(.init(path: "/snap/minetest/1/usr/bin/minetest", snap: "minetest")))
        == ["snap minetest", "path /snap/minetest/1/usr/bin/minetest"])
    func running(_ script: String) -> ProcessFacts {
      var running = facts(.init(path: python), script: script)
      running.certainScript = script
      return running
    }
    #expect(matchers(running("/home/emma/game.py")) == ["argument /home/emma/game.py"])
    #expect(matchers(running("/home/emma/*.py")) == [], "It would be a pattern.")
    var packaged = running("/home/emma/*.py")
    packaged.images[0].packages = ["webby"]
    #expect(matchers(packaged) == [], "The package of an interpreter allows whatever it runs.")
    // Behind the loader, it is the script all the same, and otherwise the loader, which no parent
    // is offered.
    let loader = "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
    var loaded = facts(.init(path: loader))
    #expect(matchers(loaded) == ["path \(loader)"])
    for isMapped in [false, true] {
      if isMapped { loaded.images.append(.init(path: python, packages: ["webby"])) }
      loaded.scriptPlace = "/home/emma/game.py"
      #expect(matchers(loaded) == ["argument /home/emma/game.py"], "mapped: \(isMapped)")
    }
    #expect(
      matchers(facts(.init(path: python), script: "/home/emma/game.py")) == ["path \(python)"],
      "It may run anything else.")
    var relative = facts(.init(path: python))
    relative.scriptPlace = "/home/emma/game.py"
    #expect(matchers(relative) == ["argument /home/emma/game.py"])
    #expect(matchers(facts(.init(path: python), script: ScriptInterpreters.elsewhere)) == [])
    #expect(matchers(facts(.init(path: "/usr/bin/bash"), isFromTerminal: true, script: "")) == [])
    // In its own mounts, a child can give any file any path.
    #expect(matchers(facts(.init(path: "/usr/bin/onboard", isHidden: true))) == [])
    let unknown = ProgramTerms(closesAt: .init(milliseconds: 0), reason: "An unknown program: listed ones only")
    #expect(
      matchers(facts(.init(path: "/home/emma/a game"), isWritable: true), unknown: unknown)
        == ["path /home/emma/a game"])
    // What the child can replace is allowed by its content, unless that is another program's as
    // well.
    let digest = String(repeating: "0a", count: 32)
    func own(_ image: ProcessFacts.Image, script: String? = nil) -> [String] {
      var image = image
      image.sha256 = digest
      return matchers(facts(image, isWritable: true, script: script), unknown: unknown)
    }
    #expect(own(.init(path: "/home/emma/zirp")) == ["sha256 \(digest)", "path /home/emma/zirp"])
    #expect(own(.init(path: "/home/emma/zirp", copiedPackages: ["webby"])) == ["path /home/emma/zirp"])
    #expect(own(.init(path: "/home/emma/zirp", copiedPaths: ["/usr/bin/office"])) == ["path /home/emma/zirp"])
    #expect(own(.init(path: "/home/emma/zirp", isHidden: true)) == [])
    #expect(own(.init(path: "/home/emma/python3")) == ["path /home/emma/python3"])
    #expect(
      own(.init(path: "/home/emma/python3"), script: "/home/emma/a.py") == ["path /home/emma/python3"],
      "No argument allows a program that the child can replace.")
    #expect(
      own(.init(path: "/home/emma/mypy", isInterpreterCopy: true)) == ["path /home/emma/mypy"],
      "What it is given would be allowed with it.")
    #expect(
      matchers(facts(.init(path: "/usr/bin/office", sha256: digest))) == ["path /usr/bin/office"],
      "Only root can replace it.")
    #expect(
      matchers(
        facts(.init(path: "/home/emma/\(String(repeating: "a", count: 1_024))"), isWritable: true), unknown: unknown)
        == [], "It is too long for a matcher.")
  }

  @Test("What is looked for is known: the packages and paths that no desktop needs, and what interpreters run")
  func needs() {
    var rig = AgentRig()
    rig.order([Self.others(closesAt: nil)], at: 1)
    #expect(rig.machine.packages == ["webby"])
    #expect(rig.machine.paths == ["/opt/racer/start.sh", "/usr/bin/office"])
    #expect(rig.machine.needs(of: 1_000) == .scripts)
    rig.order([Self.others(closesAt: 900_000)], number: 2, at: 2)
    #expect(rig.machine.needs(of: 1_000) == [.scripts, .flatpaks], "A Flatpak that is closed is reported by its ID.")
  }
}
