import LatchkeyModel
import Testing

@testable import LatchkeySystem

/// Menu entries, and what is read from them.
@Suite struct DesktopEntryTests {
  private func entry(_ lines: String..., languages: [String] = []) -> DesktopEntry? {
    DesktopEntry(Array((["[Desktop Entry]"] + lines).joined(separator: "\n").utf8), languages: languages)
  }

  @Test func anApplicationIsRead() throws {
    let text = """
      # Translators: a game
      #!/usr/bin/env xdg-open

      [Desktop Entry]
      Type = Application
      Name=SuperTuxKart
      Name[de]=Tux\\sfährt
      Name[de_AT]=
      Exec=supertuxkart %U
      TryExec=/usr/games/supertuxkart
      Categories=Game;ArcadeGame;;
      Name=Second
      [Desktop Action Race]
      Name=Race
      NoDisplay=true
      """
    let bytes = Array(text.utf8)
    let plain = try #require(DesktopEntry(bytes))
    #expect(plain.name == "SuperTuxKart" && plain.exec == "supertuxkart %U" && !plain.isHidden)
    #expect(plain.tryExec == "/usr/games/supertuxkart" && plain.categories == ["Game", "ArcadeGame"])
    #expect(plain.flatpak == nil && plain.suggestion == .reward)
    #expect(DesktopEntry(bytes, languages: ["de_AT", "de"])?.name == "Tux fährt")
    #expect(DesktopEntry(Array(text.replacing("\n", with: "\r\n").utf8)) == plain)
  }

  @Test(arguments: [
    "Type=Link\nName=A", "Name=A", "Type=Application", "Type=Application\nName= ", "Type=Application\nname=A",
    "Type=application\nName=A", "[Other]\nType=Application\nName=A", "",
  ])
  func whatIsNoApplication(text: String) {
    #expect(entry(text) == nil)
    #expect(DesktopEntry(Array("[Other]\nType=Application\nName=A".utf8)) == nil)
  }

  @Test(arguments: [
    ("NoDisplay=true", true), ("NoDisplay=false", false), ("Hidden=true", true), ("Hidden=1", true),
    ("OnlyShowIn=", true),
    ("OnlyShowIn=;", true), ("OnlyShowIn=KDE;", false), ("NotShowIn=GNOME;KDE;", false), ("Terminal=true", false),
  ])
  func whatIsInNoMenu(line: String, isHidden: Bool) {
    #expect(entry("Type=Application", "Name=A", line)?.isHidden == isHidden)
  }

  @Test(arguments: [
    ("Education;", AppCategory.learning), ("Game;", .reward), ("Game;Education;KidsGame;", .learning), ("Games;", nil),
    ("", nil), ("Office;Graphics", nil),
  ])
  func whatSuggestsItself(categories: String, suggestion: AppCategory?) {
    #expect(entry("Type=Application", "Name=A", "Categories=" + categories)?.suggestion == suggestion)
  }

  @Test func hostileTextIsMadeSafe() throws {
    let name = try #require(entry("Type=Application", "Name=a\u{1B}[2J\\nb\u{202E}\u{7}c")?.name)
    #expect(name == "a\u{FFFD}[2J\u{FFFD}b\u{FFFD}\u{FFFD}c")
    let long = try #require(entry("Type=Application", "Name=" + String(repeating: "ü", count: 9_000))?.name)
    #expect(long.utf8.count <= Limits.appIDBytes)
    let bytes = Array("[Desktop Entry]\nType=Application\nName=A\n".utf8)
    #expect(DesktopEntry(bytes + [UInt8](repeating: 0x23, count: DesktopEntry.mostBytes)) == nil)
    #expect(DesktopEntry(bytes + [0xFF, 0xFE, 0x00, 0x0A])?.name == "A")
  }

  @Test(arguments: [
    ("de_DE.UTF-8@euro", ["de_DE@euro", "de_DE", "de@euro", "de"]), ("de_DE.UTF-8", ["de_DE", "de"]), ("fr", ["fr"]),
    ("sr@latin", ["sr@latin", "sr"]), ("C.UTF-8", []), ("POSIX", []), ("", []), ("@", []), ("_", []),
  ])
  func theLanguagesOfALocale(locale: String, names: [String]) {
    #expect(EntryLanguages.names(of: locale) == names)
  }

  @Test(arguments: [
    ("supertuxkart %U", "supertuxkart"), ("/usr/games/tuxmath --fullscreen", "/usr/games/tuxmath"),
    ("\"/opt/a b/c\\\"d\" x", "/opt/a b/c\"d"), ("env LANG=C A=b etr", "etr"), ("env -u A etr", nil),
    ("/usr/bin/env", nil), ("sh -c \"wesnoth >/dev/null\"", nil), ("python3 /usr/share/x.py", nil),
    ("/usr/bin/python3.11 x", nil), ("java -jar x.jar", nil), ("wine64 x.exe", nil), ("flatpak run org.a.B", nil),
    ("", nil), ("\"\"", nil), ("  ", nil), ("/", nil), ("tux\"ma\"th", "tuxmath"), ("\"open", "open"),
  ])
  func whichProgramALineStarts(line: String, program: String?) {
    // After `env -u A`, A may be taken for the program: what follows is one.
    #expect(line.hasPrefix("env -u") || ExecLine.program(line) == program, "\(ExecLine.program(line) ?? "none")")
  }

  @Test(
    "The script that a line gives to an interpreter is an absolute path, or one in the folder of the entry",
    arguments: [
      ("/usr/bin/python3 /home/emma/x.py", "/home/emma/x.py"), ("python3 -u /opt/x.py --fast", "/opt/x.py"),
      ("python3.11 x.py", "/home/emma/game/x.py"), ("bash ./run.sh %U", "/home/emma/game/run.sh"),
      ("sh -eu data/run", "/home/emma/game/data/run"), ("env A=b perl -w /opt/x.pl", "/opt/x.pl"),
      ("python3 -X dev /opt/x.py", nil), ("python3 -m game", nil), ("python3 -c \"/opt/x.py\"", nil),
      ("sh -c \"/opt/x\"", nil), ("python3 %f", nil), ("python3", nil), ("python3 ../x.py", nil),
      ("python3 /opt/*.py", nil), ("cat /opt/x.py", nil), ("java -jar /opt/x.jar", nil), ("wine /opt/x.exe", nil),
    ] as [(String, String?)])
  func scripts(line: String, script: String?) {
    #expect(ExecLine.script(line, in: "/home/emma/game/") == script)
    #expect(script?.hasPrefix("/home/emma/game") == true ? ExecLine.script(line, in: nil) == nil : true)
    #expect(entry("Type=Application", "Name=A", "Exec=\(line)", "Path=/a\\sb")?.folder == "/a b")
  }

  @Test(
    "An interpreter is known by its whole name with a version, so that a game whose name begins like one is a program",
    arguments: [
      ("python", true), ("python3", true), ("python3.11", true), ("lua5.4", true), ("luajit", true),
      ("luajit-2.1.0-beta3", true), ("perl5.36", true), ("perl5.36.0", true), ("perl5.36-x86_64-linux-gnu", true),
      ("ruby3.1", true), ("wine", true), ("wine64", true), ("wine-stable", true), ("wine-preloader", true),
      ("wine64-preloader", true), ("wineserver64", true), ("java", true), ("javaw", true), ("tclsh8.6", true),
      ("luanti", false), ("perla", false), ("winery", false), ("pythonic", false), ("rubylith", false),
      ("javanoid", false), ("luakart", false), ("winetricks", false),
    ])
  func interpreters(name: String, isInterpreter: Bool) {
    for line in [name, "/usr/bin/\(name) --go", "env A=b \(name)"] {
      #expect((ExecLine.program(line) == nil) == isInterpreter, "\(line)")
    }
  }

  @Test(arguments: [
    ("<component><releases><release version=\"1.4\" date=\"x\"/><release version=\"1.3\"/>", "1.4"),
    ("<release date='2022-01-01' version='2.0'>", "2.0"), ("<release date='x'> version='2'", nil), ("", nil),
    ("<releases>", nil), ("<release version=\"3", "3"),
  ])
  func theVersionOfAFlatpak(text: String, version: String?) {
    #expect(FlatpakVersion.version(in: Array(text.utf8)) == version)
  }
}
