import Foundation
import LatchkeyModel
import LatchkeySystem
import Testing

/// Which entries of the system's table are accounts of people.
@Suite struct SystemAccountTests {
  private func entry(
    _ uid: UInt32, _ name: String, _ shell: String = "/bin/bash", comment: String = "", home: String? = nil
  ) -> SystemAccounts.Entry {
    SystemAccounts.Entry(uid: uid, name: name, comment: comment, shell: shell, home: home ?? "/home/\(name)")
  }

  @Test func peopleHaveANumberFrom1000AndAShell() {
    let entries = [
      entry(0, "root"), entry(33, "www-data", "/usr/sbin/nologin"), entry(65_534, "nobody", "/bin/sh"),
      entry(1_001, "tom", "/usr/bin/zsh"), entry(1_000, "emma", comment: "Emma Example,room 3,,"),
      entry(1_002, "old", "/usr/sbin/nologin"), entry(1_003, "older", "/bin/false"), entry(1_001, "tom"),
      entry(1_004, "two words"), entry(1_005, "plain", ""),
    ]
    #expect(
      SystemAccounts.people(among: entries, ownUser: 0) == [
        Account(uid: 1_000, name: "emma", fullName: "Emma Example"), Account(uid: 1_001, name: "tom", fullName: ""),
        Account(uid: 1_005, name: "plain", fullName: ""),
      ])
  }

  @Test(
    "A number beyond 60,000 is a person's if it has a shell and a home",
    arguments: [
      59_999, 60_000, 60_001, 60_513, 61_184, 65_000, 65_533, 65_536, 70_001, 524_288, 1_234_567_890, 4_294_967_293,
    ] as [UInt32])
  func highNumbers(uid: UInt32) {
    #expect(SystemAccounts.people(among: [entry(uid, "lena")], ownUser: 0).map(\.uid) == [uid])
    // As systemd tells of the dynamic account of a service.
    let service = entry(uid, "backup", "/usr/sbin/nologin", home: "/")
    #expect(SystemAccounts.people(among: [service], ownUser: 0).isEmpty)
    for home in ["/", "", "home/lena"] {
      #expect(SystemAccounts.people(among: [entry(uid, "lena", home: home)], ownUser: 0).isEmpty)
    }
  }

  @Test(
    "No number that stands for nobody is a person's",
    arguments: [
      0, 999, 65_534, 65_535, 4_294_967_294, 4_294_967_295,
    ] as [UInt32])
  func nobody(uid: UInt32) {
    #expect(SystemAccounts.people(among: [entry(uid, "lena")], ownUser: 0).isEmpty)
  }

  @Test func whoRunsTheNodeIsAPersonUnlessItIsRoot() {
    let entries = [entry(0, "root"), entry(999, "tester", "/usr/sbin/nologin")]
    #expect(SystemAccounts.people(among: entries, ownUser: 999).map(\.name) == ["tester"])
    #expect(SystemAccounts.people(among: entries, ownUser: 0).isEmpty)
    let service = [SystemAccounts.Entry(uid: 999, name: "_latchkey", comment: "", shell: "/usr/sbin/nologin")]
    #expect(SystemAccounts.people(among: service, ownUser: 999).isEmpty)
  }

  @Test func thereIsABoundAndTextsAreMadeSafe() {
    let entries = (0..<100).map { entry(UInt32(1_000 + $0), "u\($0)", comment: "a\u{1B}[2J") }
    let people = SystemAccounts.people(among: entries, ownUser: 0)
    #expect(people.count == Account.most)
    #expect(people[0].fullName == "a\u{FFFD}[2J")
  }

  @Test func whoReadsTheTableBesideOthersGetsAllOfIt() async {
    let all = SystemAccounts.entries()
    #expect(all.contains { $0.uid == 0 })
    let isWhole = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 { group.addTask { (0..<200).allSatisfy { _ in SystemAccounts.entries() == all } } }
      return await group.allSatisfy(\.self)
    }
    #expect(isWhole)
  }

  @Test func anAccountThatAParentHasNamedIsListedUnlessItIsRoots() {
    let entries = [entry(0, "root"), entry(700, "kiosk", "/usr/sbin/nologin", home: "/"), entry(65_534, "nobody")]
    let named: Set = ["root", "kiosk", "nobody"]
    #expect(SystemAccounts.people(among: entries, ownUser: 0, named: named).map(\.name) == ["kiosk"])
  }

  @Test func whatIsNotListedIsLookedUpByNameAndNumber() throws {
    let root = try #require(SystemAccounts.entry(named: "root"))
    #expect(root.uid == 0 && SystemAccounts.entry(numbered: 0) == root)
    #expect(SystemAccounts.entry(named: "no such account") == nil && SystemAccounts.entry(numbered: .max - 7) == nil)
    let listed = [entry(1_000, "emma")]
    #expect(
      SystemAccounts.entries(listed, besides: ["emma", "root", "nosuch"], [0, 1_000, .max - 7]) == listed + [
        root, root,
      ])
    #expect(SystemAccounts.entries([root], besides: ["root"], [0]) == [root])
  }

  @Test func aHomeIsTheSameWhereverItIsMoved() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (old, new) = (folder.appending(path: "tom"), folder.appending(path: "tommy"))
    try FileManager.default.createDirectory(at: old, withIntermediateDirectories: true)
    func mark(_ url: URL, of uid: UInt32 = geteuid()) -> String {
      SystemAccounts.identity(of: entry(uid, "tom", home: url.path)).homeMark
    }
    let before = mark(old)
    #expect(!before.isEmpty && mark(old, of: geteuid() + 1) == "", "It is not that account's.")
    try FileManager.default.moveItem(at: old, to: new)
    #expect(mark(new) == before && mark(old) == "")
    try FileManager.default.createDirectory(at: old, withIntermediateDirectories: true)
    #expect(mark(old) != before)
    let owners = SystemAccounts.ownersOfHomes(in: folder.path)
    #expect(owners == (geteuid() >= SystemAccounts.firstPerson ? [geteuid()] : []))
    for (name, text) in [
      ("1", "UID=1000\nCLASS=user\n"), ("c2", "# a comment\nUID=501\nCLASS=background\n"),
      ("3", "UID=70001\nCLASS=user-light\n"), ("4", "UID=117\nCLASS=greeter\n"), ("5", "UID=1001\nCLASS=manager\n"),
      ("6", "UID=x\nCLASS=user\n"), ("7", ""),
    ] {
      try Data(text.utf8).write(to: folder.appending(path: name))
    }
    #expect(SystemAccounts.inSession(folder: folder.path) == [1_000, 501, 70_001])
    #expect(SystemAccounts.inSession(folder: folder.path + "/none").isEmpty)
  }

  @Test("The log-in sessions of an account are those of its person that have not ended")
  func logIns() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lk-logins-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in [
      ("1", "UID=1000\nCLASS=user\nSTATE=active\n"), ("c2", "UID=1000\nSTATE=online\n"),
      ("3", "UID=1000\nCLASS=user\nSTATE=closing\n"), ("4", "UID=1000\nCLASS=background\nSTATE=active\n"),
      ("5", "UID=1000\nCLASS=manager\n"), ("6", "UID=1001\nCLASS=user\n"),
    ] {
      try Data(text.utf8).write(to: folder.appending(path: name))
    }
    #expect(SystemAccounts.logIns(of: 1_000, folder: folder.path) == ["1", "c2"])
    #expect(SystemAccounts.logIns(of: 1_002, folder: folder.path).isEmpty)
  }
}
