import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of the programs that a child's machine refused because no parent has listed them:
/// Protocol/11-rules.md §5.
@Suite final class RefusedProgramTests {
  private let rig: StoreRig

  init() throws { rig = try StoreRig() }

  private static func program(_ number: Int, account: UInt32 = 1_000, at time: Int64 = 5) -> RefusedProgram {
    RefusedProgram(
      account: account, target: .matcher(AppMatcher(kind: .path, value: "/home/emma/game\(number)")),
      name: "game\(number)", refusedAt: time)
  }

  @Test("Of each account the newest refusals are kept, each program once, and they survive a restart")
  func bounds() async throws {
    try await rig.store.keep(refused: Self.program(0, account: 1_001))
    for number in 0..<40 { try await rig.store.keep(refused: Self.program(number)) }
    try await rig.store.keep(refused: Self.program(20, at: 9))
    try rig.reopen()
    let kept = try await rig.store.refusedPrograms()
    let expected = [Self.program(20, at: 9)] + (8..<40).reversed().filter { $0 != 20 }.map { Self.program($0) }
    #expect(kept == expected + [Self.program(0, account: 1_001)])
    #expect(kept.count { $0.account == 1_000 } == RefusedProgram.most)
  }

  @Test("A refusal is forgotten unless the program was refused again meanwhile")
  func forgetting() async throws {
    for number in 0..<3 { try await rig.store.keep(refused: Self.program(number)) }
    let read = try await rig.store.refusedPrograms()
    try await rig.store.keep(refused: Self.program(1, at: 9))
    try await rig.store.forget(refused: read)
    #expect(try await rig.store.refusedPrograms() == [Self.program(1, at: 9)])
  }

  @Test("What is known of programs and names survives a restart in its order")
  func known() async throws {
    let game = AppMatcher(kind: .path, value: "/home/emma/a game")
    let digest = AppMatcher(kind: .sha256, value: String(repeating: "0a", count: 32))
    let known = KnownPrograms(
      [
        .init(digest, as: nil, at: "/home/emma/b"), .init(game, as: Fixed.app("game")),
        .init(digest, as: Fixed.app("game"), at: game.value),
      ], names: [Fixed.app("game"): "A game", Fixed.app("kart"): "Kart"])
    let before = try await rig.store.remember { value in
      defer { value = known }
      return value
    }
    #expect(before == KnownPrograms())
    try rig.reopen()
    #expect(try await rig.store.knownPrograms() == known)
    try await rig.store.remember { $0 = KnownPrograms() }
    #expect(try await rig.store.knownPrograms() == KnownPrograms())
  }

  @Test("The list that parents get fits one item, whatever the programs are called")
  func list() async throws {
    let mum = try await rig.paired(.parent)
    let path = String(repeating: "/a", count: RefusedProgram.matcherBytes / 2 - 5)
    let programs = (0..<64).map { number in
      RefusedProgram(
        account: UInt32(number % 2), target: .matcher(AppMatcher(kind: .argument, value: "\(path)\(100 + number)")),
        name: String(repeating: "n", count: 255), refusedAt: HybridTimestamp.wallLimit - 1)
    }
    #expect(programs.allSatisfy { $0.fault == nil })
    let list = EntryList(programs)
    #expect(list.entries == Array(programs.prefix(RefusedProgram.most)) && list.more == 32)
    #expect(list.parts(number: 1).count == 1)
    #expect(try await rig.store.setInventory(list, at: 8).changes.map(\.device) == [mum])
    #expect(try await rig.store.setInventory(list, at: 9).changes.isEmpty, "Nothing has changed.")
  }
}
