import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of the lists of installed applications: stored, sent to parents, replaced and deleted.
@Suite final class InstalledStoreTests {
  private let rig: StoreRig

  init() throws { rig = try StoreRig() }

  private func app(_ id: String, name: String = "A name", version: String = "1") throws -> InstalledApp {
    InstalledApp(appID: try #require(AppID(id)), name: name, version: version, suggestion: .reward)
  }

  /// Returns the items about installed applications that are pending for a parent.
  private func waiting(_ parent: DeviceID) async throws -> [InstalledPart] {
    guard let position = try await rig.store.outboxPositions(parent)[.control] else { return [] }
    return try await rig.store.load(
      parent, .control, epoch: position.epoch, from: 1, items: 100, bytes: 4 << 20, at: 8
    ).filter { $0.kind == .installed }.map { try rig.coding.installed($0.body) }
  }

  private func tell(
    _ part: InstalledPart, _ sequence: UInt64, from machine: DeviceID, role: DeviceRole = .child
  ) async throws -> InboxResult {
    try await rig.store.receive(
      [
        ItemRun(
          streamClass: .control, epoch: 3,
          items: [
            DeliveryItem(
              sequence: sequence, kind: .installed, itemID: rig.random.bytes(16), body: rig.coding.encode(part))
          ])
      ], from: machine, role: role, enforcement: .recorded, at: 100)
  }

  @Test("A child's machine tells its parents what is installed when that has changed; what waits is replaced")
  func telling() async throws {
    let mum = try await rig.paired(.parent)
    #expect(try await waiting(mum).isEmpty, "Nobody has looked yet.")
    let first = InstalledList([try app("b"), try app("a"), try app("b", name: "Another")])
    #expect(first.apps.map(\.appID.text) == ["a", "b"] && first.apps[1].name == "A name")
    let told = try await rig.store.setInstalled(first, at: 6)
    #expect(told.number == 1 && told.changes.map(\.device) == [mum])
    let again = try await rig.store.setInstalled(first, at: 7)
    #expect(again.number == 1 && again.changes.isEmpty, "Nothing has changed.")
    let second = InstalledList([try app("a", version: "2")])
    #expect(try await rig.store.setInstalled(second, at: 8).number == 2)
    #expect(try await waiting(mum) == second.parts(number: 2), "The first list is of no use any more.")
    let dad = try await rig.paired(.parent)
    #expect(try await waiting(dad) == second.parts(number: 2))
    try rig.reopen()
    let known = try #require(try await rig.store.installed(on: rig.own))
    #expect(known.apps == second.apps && known.number == 2 && known.toldAt == 8)
    // The matchers stay on this machine, even if the list is the same.
    let matchers = [
      Fixed.app("a.b"): InstalledMatchers(
        [AppMatcher(kind: .package, value: "ab"), AppMatcher(kind: .argument, value: "/opt/a b/run.py")]),
      Fixed.app("c"): InstalledMatchers([AppMatcher(kind: .path, value: "/home/emma/c")], isOwn: true),
    ]
    #expect(try await rig.store.setInstalled(second, matchers: matchers, at: 8).number == 2)
    #expect(try await rig.store.installedMatchers() == matchers)
    let none = try await rig.store.setInstalled(InstalledList([]), at: 9)
    #expect(try await rig.store.installedMatchers().isEmpty)
    #expect(none.number == 3 && Set(none.changes.map(\.device)) == [mum, dad])
    #expect(try await rig.store.installed(on: rig.own)?.apps == [])
  }

  @Test("A parent keeps the last list of each machine until the machine is removed, and takes none from a parent")
  func receiving() async throws {
    let (pc, laptop) = (try await rig.paired(), try await rig.paired())
    #expect(try await rig.store.installed(on: pc) == nil)
    let apps = try (0..<400).map { try app("org.example.App\(1_000 + $0)", name: String(repeating: "n", count: 100)) }
    let long = InstalledList(apps).parts(number: 4)
    #expect(long.count > 1 && long.allSatisfy { rig.coding.encode($0).count <= Limits.itemBodyBytes })
    for (number, part) in long.enumerated() {
      #expect(try await tell(part, UInt64(number + 1), from: pc).faults.isEmpty)
      let isWhole = number == long.count - 1
      #expect(try await rig.store.installed(on: pc)?.number == (isWhole ? 4 : 0))
    }
    #expect(try await rig.store.installed(on: pc)?.apps == apps)
    #expect(try await rig.store.installed(on: laptop) == nil)
    try rig.reopen()
    #expect(try await rig.store.installed(on: pc)?.apps == apps)
    // A shorter list replaces all parts, and so does a list of a machine that was restored.
    let short = InstalledList([apps[3]]).parts(number: 2)[0]
    _ = try await tell(short, UInt64(long.count + 1), from: pc)
    let known = try #require(try await rig.store.installed(on: pc))
    #expect(known.apps == [apps[3]] && known.number == 2 && known.toldAt == 100)
    #expect(try await tell(short, 1, from: laptop, role: .parent).faults.count == 1)
    #expect(try await rig.store.installed(on: laptop) == nil)
    _ = try await rig.store.remove(pc, removal: nil, itemID: rig.random.bytes(16), at: 101)
    #expect(try await rig.store.installed(on: pc) == nil)
  }

  @Test("However much a machine has found, the list fits its items, and the rest is counted")
  func bounds() throws {
    let long = String(repeating: "i", count: 247)
    for (count, name) in [(3_000, "n"), (3_000, String(repeating: "n", count: 255)), (2_048, "n"), (0, "n")] {
      let apps = try (0..<count).map { try app("\(name.count > 1 ? long : "i")\(10_000_000 + $0)", name: name) }
      let list = InstalledList(apps)
      #expect(list.apps.count + list.more == count)
      #expect(list.apps.count <= Limits.installedApps)
      #expect(Array(list.apps) == Array(apps.prefix(list.apps.count)), "The first ones are kept.")
      let parts = list.parts(number: 1)
      #expect((1...Limits.installedParts).contains(parts.count) && parts.flatMap(\.apps) == list.apps)
      for part in parts {
        let body = rig.coding.encode(part)
        #expect(body.count <= Limits.itemBodyBytes)
        #expect(try rig.coding.installed(body) == part)
      }
    }
  }

  @Test("What no machine may say is not read")
  func malformed() throws {
    let good = InstalledPart(number: 1, part: 0, parts: 1, more: 0, apps: [try app("a"), try app("b")])
    #expect(try rig.coding.installed(rig.coding.encode(good)) == good)
    let wrong: [(inout InstalledPart) -> Void] = [
      { $0.number = 0 }, { $0.part = 1 }, { $0.parts = 9 }, { $0.apps.reverse() }, { $0.apps.append($0.apps[1]) },
      { $0.apps[0].name = "" }, { $0.apps[0].name = "a\u{1B}b" },
      { $0.apps[0].version = String(repeating: "1", count: 65) },
    ]
    for change in wrong {
      var part = good
      change(&part)
      #expect(throws: BodyFault.self) { try rig.coding.installed(rig.coding.encode(part)) }
    }
  }
}
