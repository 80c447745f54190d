import Foundation
import Glibc
import LatchkeyModel
import Testing

@testable import LatchkeySystem

/// The look at what is installed, in folders of the test's making.
@Suite struct ApplicationScanTests {
  private static func write(_ path: String, _ text: String, mode: Int = 0o644) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private static func entry(_ path: String, _ name: String, _ lines: String...) throws {
    try write(path, (["[Desktop Entry]", "Type=Application", "Name=\(name)"] + lines).joined(separator: "\n"))
  }

  private func places(_ root: String) -> ApplicationPlaces {
    ApplicationPlaces(
      shares: ["\(root)/local", "\(root)/share", "\(root)/flatpak"], homes: ["\(root)/emma"], dpkg: "\(root)/dpkg",
      programs: ["\(root)/bin", "\(root)/games"], languages: ["de"])
  }

  @Test("What two accounts have in their own menus under one ID is recognized for both, and is listed once")
  func twoHomes() async throws {
    try await TemporaryFolder.with { root in
      var places = places(root)
      places.homes = ["\(root)/ben", "\(root)/emma"]
      for home in places.homes {
        try Self.write("\(home)/kart", "", mode: 0o755)
        try Self.entry("\(home)/applications/kart.desktop", "Kart", "Exec=\(home)/kart")
      }
      let found = ApplicationScan.run(places)
      #expect(found.map(\.app.appID.text) == ["kart"] && found.allSatisfy(\.isOwn))
      #expect(found.first?.matchers.map(\.value) == places.homes.map { $0 + "/kart" })
    }
  }

  @Test("Latchkey's own entry is not listed, and an account cannot hide its own by that")
  func ownEntry() async throws {
    try await TemporaryFolder.with { root in
      let exec = "Exec=/usr/bin/latchkey dashboard"
      try Self.entry("\(root)/share/applications/latchkey.desktop", "Latchkey", exec)
      try Self.entry("\(root)/emma/applications/game.desktop", "Game", exec)
      #expect(ApplicationScan.run(places(root)).map(\.app.appID.text) == ["game"])
    }
  }

  @Test("Entries of menus, Flatpaks and packages are found, with what dpkg knows of them")
  func everything() async throws {
    try await TemporaryFolder.with { root in
      let apps = "\(root)/share/applications"
      try Self.entry("\(apps)/supertuxkart.desktop", "SuperTuxKart", "Exec=supertuxkart %U", "Categories=Game;")
      try Self.write("\(root)/games/supertuxkart", "", mode: 0o755)
      try Self.entry("\(apps)/kde4/okular.desktop", "Okular", "Name[de]=Betrachter", "Exec=\(root)/bin/okular")
      try Self.write("\(root)/bin/okular", "", mode: 0o755)
      try Self.entry("\(apps)/tuxmath.desktop", "Tux Math ", "Exec=python3 x", "Categories=Game;")
      try Self.entry("\(apps)/gone.desktop", "Gone", "TryExec=nosuch")
      try Self.entry("\(apps)/mime.desktop", "Mime", "NoDisplay=true")
      try Self.entry("\(apps)/two words.desktop", "Two words")
      try Self.write("\(apps)/broken.desktop", "Name=Broken")
      try Self.write("\(apps)/readme.txt", "[Desktop Entry]\nType=Application\nName=No")
      try Self.entry(
        "\(root)/flatpak/applications/org.a.B.Viewer.desktop", "B", "X-Flatpak=org.a.B", "Exec=/usr/bin/flatpak run x",
        "Categories=Education;")
      try Self.write("\(root)/flatpak/metainfo/org.a.B.metainfo.xml", "<release version=\"4.2\"/>")
      try Self.write(
        "\(root)/dpkg/info/supertuxkart:amd64.list", "/.\n\(root)/games\n\(root)/games/supertuxkart\n")
      try Self.write(
        "\(root)/dpkg/info/supertuxkart-data.list", "\(apps)/supertuxkart.desktop\n\(apps)/tuxmath.desktop\n")
      try Self.write(
        "\(root)/dpkg/status",
        """
        Package: supertuxkart
        Status: install ok installed
        Version: 1.4+dfsg-2
        Description: x
         Package: other

        Package: supertuxkart-data
        Status: install ok installed
        Version: 1.3

        Package: okular
        Status: deinstall ok config-files
        Version: 9

        """)
      let found = ApplicationScan.run(places(root))
      #expect(found.map(\.app.appID.text) == ["kde4-okular", "supertuxkart", "tuxmath", "two-words", "org.a.B"])
      #expect(found.map(\.app.name) == ["Betrachter", "SuperTuxKart", "Tux Math", "Two words", "B"])
      #expect(found.map(\.app.version) == ["", "1.4+dfsg-2", "1.3", "", "4.2"])
      // What is well known is suggested before what the entry says.
      #expect(found.map(\.app.suggestion) == [nil, .reward, .learning, nil, .learning])
      #expect(
        found.map(\.matchers) == [
          [AppMatcher(kind: .path, value: "\(root)/bin/okular")],
          [
            AppMatcher(kind: .package, value: "supertuxkart"),
            AppMatcher(kind: .path, value: "\(root)/games/supertuxkart"),
          ], [], [], [AppMatcher(kind: .flatpak, value: "org.a.B")],
        ])
      #expect(found.allSatisfy { $0.app.fault == nil })
    }
  }

  @Test(
    "What is more important holds: an entry hidden by the machine is gone, and a person's own hides or renames none")
  func precedence() async throws {
    try await TemporaryFolder.with { root in
      try Self.entry("\(root)/local/applications/a.desktop", "Local")
      try Self.entry("\(root)/share/applications/a.desktop", "Shared")
      try Self.entry("\(root)/local/applications/b.desktop", "Deleted", "Hidden=true")
      try Self.entry("\(root)/share/applications/b.desktop", "Hidden")
      try Self.entry("\(root)/share/applications/c.desktop", "Game")
      try Self.entry("\(root)/emma/applications/c.desktop", "Renamed", "NoDisplay=true")
      try Self.entry("\(root)/emma/applications/own.desktop", "Own")
      #expect(ApplicationScan.run(places(root)).map(\.app.name) == ["Local", "Game", "Own"])
      var other = places(root)
      other.homes = []
      #expect(ApplicationScan.run(other).map(\.app.name) == ["Local", "Game"])
      #expect(ApplicationScan.run(ApplicationPlaces(shares: ["\(root)/nosuch"])).isEmpty)
    }
  }

  @Test(
    "What several applications start recognizes none, nor what an account's entry starts outside its home; a script is an argument"
  )
  func recognition() async throws {
    try await TemporaryFolder.with { root in
      let apps = "\(root)/share/applications"
      for name in ["alone", "shared", "neighbour"] { try Self.write("\(root)/bin/\(name)", "", mode: 0o755) }
      try Self.write("\(root)/games/script", "#!/bin/sh\nexec game", mode: 0o755)
      for name in ["alone", "neighbour", "script"] { try Self.entry("\(apps)/\(name).desktop", name, "Exec=\(name)") }
      for name in ["one", "two"] { try Self.entry("\(apps)/\(name).desktop", name, "Exec=shared --\(name)") }
      try Self.entry("\(root)/emma/applications/own.desktop", "Own", "Exec=\(root)/bin/alone")
      // What is in the account's own home, by itself.
      try Self.write("\(root)/emma/kart", "", mode: 0o755)
      try Self.entry("\(root)/emma/applications/kart.desktop", "Kart", "Exec=\(root)/emma/kart")
      try Self.entry("\(root)/emma/applications/chess.desktop", "Chess", "X-Flatpak=org.a.Chess")
      // A link of the account's own is what it leads to.
      try Self.write("\(root)/emma/bin/racer", "", mode: 0o755)
      for (name, place) in [("racer", "\(root)/emma/bin/racer"), ("away", "\(root)/bin/neighbour")] {
        try FileManager.default.createSymbolicLink(atPath: "\(root)/emma/\(name)", withDestinationPath: place)
        try Self.entry("\(root)/emma/applications/\(name).desktop", name, "Exec=\(root)/emma/\(name)")
      }
      try Self.write(
        "\(root)/dpkg/info/both.list", "\(root)/bin/alone\n\(root)/bin/neighbour\n\(root)/games/script")
      let found = ApplicationScan.run(places(root))
      let matchers = Dictionary(uniqueKeysWithValues: found.map { ($0.app.appID.text, $0.matchers) })
      #expect(
        matchers == [
          "alone": [AppMatcher(kind: .path, value: "\(root)/bin/alone")],
          "neighbour": [AppMatcher(kind: .path, value: "\(root)/bin/neighbour")],
          "script": [AppMatcher(kind: .argument, value: "\(root)/games/script")],
          "one": [], "two": [], "own": [],
          "kart": [AppMatcher(kind: .path, value: "\(root)/emma/kart")],
          "org.a.Chess": [AppMatcher(kind: .flatpak, value: "org.a.Chess")],
          "racer": [AppMatcher(kind: .path, value: "\(root)/emma/bin/racer")], "away": [],
        ])
      #expect(
        Set(found.filter(\.isOwn).map(\.app.appID.text)) == ["own", "kart", "org.a.Chess", "racer", "away"])
    }
  }

  @Test(
    "What a store's client, a browser, Java or snap starts is recognized by what that shows",
    arguments: [
      ("steam steam://rungameid/435400", "argument *SteamLaunch AppId=435400 *"),
      ("xdg-open \"steam://run/620\"", "argument *SteamLaunch AppId=620 *"),
      ("steam steam://rungameid/14730514661577326592", "argument *SteamLaunch AppId=3429715210 *"),
      ("env LUTRIS_SKIP_INIT=1 lutris lutris:rungameid/12", "argument *lutris-wrapper*Kart ?1*"),
      ("lutris lutris:rungame/kart", "argument *lutris-wrapper*Kart ?1*"),
      ("xdg-open heroic://launch/legendary/Sugar", "argument *launch *Sugar*"),
      ("xdg-open \"heroic://launch?appName=1495134320&runner=gog\"", "argument *launch *1495134320*"),
      ("/usr/bin/chromium --profile-directory=Default --app-id=agimnkij", "argument *--app-id=agimnkij*"),
      (
        "firefoxpwa site launch 01ARZ3NDEKTSV4RRFFQ69G5FAV --protocol %u", "argument *FFPWA-01ARZ3NDEKTSV4RRFFQ69G5FAV*"
      ),
      ("java -Xmx1G -jar /opt/craft/craft.jar %U", "argument java*/opt/craft/craft.jar*"),
      ("/usr/bin/java -cp a.jar:b.jar -Dx=y net.craft.Main", "argument java*net.craft.Main*"),
      ("java -p mods -m craft/net.craft.Main", "argument java*craft/net.craft.Main*"),
      ("env X=y /snap/bin/minetest %U", "snap minetest"), ("/snap/bin/minetest.server", "snap minetest"),
      ("java @args.txt", nil), ("steam steam://open/games", nil), ("chromium https://example.org/#--app-id=x", nil),
      ("/opt/game/start.sh", nil), ("", nil),
    ] as [(String, String?)])
  func launched(line: String, expected: String?) {
    let found = LaunchLine.matcher(line, name: "Kart *1")
    #expect(found.map { "\($0.kind.rawValue) \($0.value)" } == expected)
  }

  @Test("A script's entry is recognized by the program that the script names as well, unless several scripts name it")
  func scripts() async throws {
    try await TemporaryFolder.with { root in
      let apps = "\(root)/share/applications"
      for (name, game) in [("kart", "data/kart.bin"), ("one", "lib/suite"), ("two", "lib/suite")] {
        try Self.write("\(root)/opt/\(game)", "", mode: 0o755)
        try Self.write(
          "\(root)/opt/\(name).sh",
          "#!/bin/sh\n. ./lib/../x\ncd /usr/bin\nexec \"$(dirname \"$0\")/\(game)\" \"$@\" data/readme", mode: 0o755)
        try Self.entry("\(apps)/\(name).desktop", name, "Exec=\(root)/opt/\(name).sh %U")
      }
      try Self.write("\(root)/opt/data/readme", "")
      try Self.write("\(root)/bin/tool", "", mode: 0o755)
      try Self.write("\(root)/games/racer", "#!/bin/sh\n\(root)/bin/tool; exec \(root)/opt/racer.bin", mode: 0o755)
      try Self.write("\(root)/opt/racer.bin", "", mode: 0o755)
      try Self.entry("\(apps)/racer.desktop", "Racer", "Exec=racer")
      // What an account says of its own takes nothing away.
      try Self.entry("\(root)/emma/applications/mine.desktop", "Mine", "Exec=\(root)/opt/data/kart.bin")
      let found = ApplicationScan.run(places(root))
      let matchers = Dictionary(
        uniqueKeysWithValues: found.map { ($0.app.appID.text, $0.matchers.map { "\($0.kind) \($0.value)" }) })
      #expect(
        matchers == [
          "mine": [],
          "kart": ["argument \(root)/opt/kart.sh", "path \(root)/opt/data/kart.bin"],
          "one": ["argument \(root)/opt/one.sh"], "two": ["argument \(root)/opt/two.sh"],
          "racer": ["argument \(root)/games/racer", "path \(root)/opt/racer.bin"],
        ])
    }
  }

  @Test(
    "What an entry gives to an interpreter is recognized by its path among the arguments, in the home for an own entry")
  func interpreted() async throws {
    try await TemporaryFolder.with { root in
      for path in ["emma/x.py", "emma/y.py", "share/game/main.py"] { try Self.write("\(root)/\(path)", "pass") }
      for (name, line) in [
        ("own", "/usr/bin/python3 \(root)/emma/x.py"), ("away", "/usr/bin/python3 \(root)/share/game/main.py"),
        ("none", "/usr/bin/python3 \(root)/emma/none.py"),
      ] {
        try Self.entry("\(root)/emma/applications/\(name).desktop", name, "Exec=\(line)")
      }
      try Self.entry("\(root)/emma/applications/placed.desktop", "Placed", "Exec=python3 y.py", "Path=\(root)/emma")
      try Self.entry("\(root)/share/applications/game.desktop", "Game", "Exec=python3 \(root)/share/game/main.py")
      let found = ApplicationScan.run(places(root))
      let matchers = Dictionary(uniqueKeysWithValues: found.map { ($0.app.appID.text, $0.matchers) })
      func script(_ path: String) -> [AppMatcher] { [AppMatcher(kind: .argument, value: "\(root)/\(path)")] }
      #expect(
        matchers == [
          "own": script("emma/x.py"), "placed": script("emma/y.py"), "game": script("share/game/main.py"),
          "away": [], "none": [],
        ])
    }
  }

  @Test(
    "What several entries of the machine's start recognizes none of them, and is known as shared, with what a link leads to"
  )
  func shared() async throws {
    try await TemporaryFolder.with { root in
      try Self.write("\(root)/suite/program/suite", "", mode: 0o755)
      try FileManager.default.createDirectory(atPath: "\(root)/bin", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: "\(root)/bin/suite", withDestinationPath: "\(root)/suite/program/suite")
      for name in ["writer", "table"] {
        try Self.entry("\(root)/share/applications/\(name).desktop", name, "Exec=suite --\(name)")
      }
      try Self.entry("\(root)/emma/applications/mine.desktop", "Mine", "Exec=\(root)/emma/suite")
      try Self.write("\(root)/emma/suite", "", mode: 0o755)
      let found = ApplicationScan.run(places(root))
      #expect(found.filter { !$0.isOwn }.allSatisfy { $0.matchers.isEmpty })
      let real = try #require(realpath("\(root)/suite/program/suite", nil))
      defer { free(real) }
      let paths = Set(found.flatMap(\.shared).map(\.value))
      #expect(paths == ["\(root)/bin/suite", String(cString: real)])
    }
  }

  @Test("Steam's entries are listed with IDs made of their names, and do not make Steam's own program ambiguous")
  func named() async throws {
    try await TemporaryFolder.with { root in
      try Self.write("\(root)/bin/steam", "", mode: 0o755)
      try Self.entry("\(root)/share/applications/steam.desktop", "Steam", "Exec=steam %U")
      try Self.entry("\(root)/share/applications/Quiz 2.desktop", "Quiz 2", "Exec=steam steam://rungameid/7")
      try Self.entry("\(root)/emma/applications/Half Life 2.desktop", "Half Life 2", "Exec=steam steam://rungameid/220")
      try Self.entry("\(root)/emma/applications/Half-Life-2.desktop", "Hidden", "Exec=steam steam://rungameid/70")
      let found = ApplicationScan.run(places(root))
      #expect(found.map(\.app.appID.text) == ["Quiz-2", "steam", "Half-Life-2"])
      #expect(
        found.map(\.matchers) == [
          [AppMatcher(kind: .argument, value: "*SteamLaunch AppId=7 *")],
          [AppMatcher(kind: .path, value: "\(root)/bin/steam")],
          [AppMatcher(kind: .argument, value: "*SteamLaunch AppId=220 *")],
        ])
      #expect(found.map(\.isOwn) == [false, false, true])
    }
  }

  @Test("What somebody has put there to hinder the look does not")
  func hostile() async throws {
    try await TemporaryFolder.with { root in
      let apps = "\(root)/emma/applications"
      try Self.entry("\(apps)/good.desktop", "Good")
      #expect(mkfifo("\(apps)/pipe.desktop", 0o600) == 0)
      for name in ["a", "b", "c"] { #expect(symlink(".", "\(apps)/\(name)") == 0) }
      #expect(symlink("/dev/zero", "\(apps)/zero.desktop") == 0)
      try FileManager.default.createDirectory(atPath: "\(apps)/d.desktop", withIntermediateDirectories: false)
      try Self.write(
        "\(apps)/large.desktop",
        "[Desktop Entry]\nType=Application\nName=Large\n" + String(repeating: "#\n", count: DesktopEntry.mostBytes))
      let found = ApplicationScan.run(places(root)).map(\.app.name)
      // By way of the links it has several IDs.
      #expect(Set(found) == ["Good"] && found.count <= 40)
    }
  }

  @Test("A change of what is installed is noticed")
  func marks() async throws {
    try await TemporaryFolder.with { root in
      let before = places(root).mark
      #expect(places(root).mark == before)
      try Self.entry("\(root)/share/applications/a.desktop", "A")
      let after = places(root).mark
      #expect(after != before)
      try Self.write("\(root)/dpkg/status", "")
      #expect(places(root).mark != after)
    }
  }

  @Test func thePlacesComeFromTheEnvironment() {
    let usual = ApplicationPlaces.current(environment: [:], homes: ["/home/emma"])
    #expect(
      usual.shares == ["/usr/local/share", "/usr/share", "/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop"])
    #expect(usual.homes == ["/home/emma/.local/share", "/home/emma/.local/share/flatpak/exports/share"])
    #expect(usual.dpkg == "/var/lib/dpkg" && usual.languages.isEmpty)
    let own = ApplicationPlaces.current(
      environment: [
        "XDG_DATA_DIRS": "/a:relative:/b:/a", "XDG_DATA_HOME": "/c", "LATCHKEY_DPKG_DIR": "/d", "LANG": "de_DE.UTF-8",
        "LC_ALL": "",
      ], homes: ["/home/emma"])
    #expect(own.shares == ["/a", "/b"] && own.homes == ["/c"] && own.dpkg == "/d" && own.languages == ["de_DE", "de"])
  }

  @Test func homesAreThoseOfPeople() {
    let entries = [
      SystemAccounts.Entry(uid: 0, name: "root", comment: "", shell: "/bin/sh", home: "/root"),
      SystemAccounts.Entry(uid: 1_000, name: "emma", comment: "", shell: "/bin/sh", home: "/home/emma"),
      SystemAccounts.Entry(uid: 1_001, name: "odd", comment: "", shell: "/bin/sh", home: "/"),
      SystemAccounts.Entry(uid: 1_002, name: "none", comment: "", shell: "/bin/false", home: "/home/none"),
    ]
    #expect(SystemAccounts.homes(among: entries, ownUser: 0) == ["/home/emma"])
  }
}

/// A folder for one test.
private enum TemporaryFolder {
  /// Creates a folder for a closure and removes it afterwards.
  static func with(_ body: (String) async throws -> Void) async throws {
    let path = "/tmp/latchkey-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
  }
}
