import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of the settings and files on which durability rests.
@Suite struct DurabilityTests {
  @Test func theWritingConnectionSyncsFully() async throws {
    let test = try TestStore()
    // GRDB sets NORMAL when it turns on the write-ahead log; 2 is FULL.
    #expect(try await test.store.synchronousLevel() == 2)
    try test.reopen()
    #expect(try await test.store.synchronousLevel() == 2)
  }

  @Test func theLogIsWrittenAheadAndTablesAreStrict() async throws {
    let test = try TestStore()
    let reader = try DatabaseQueue(path: test.path)
    try await reader.read { database in
      #expect(try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal")
      let loose = try String.fetchAll(
        database,
        sql:
          "SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%' AND name <> 'grdb_migrations'"
      )
      #expect(loose.isEmpty)
    }
  }

  @Test func theFileIsForItsOwnerAlone() throws {
    let test = try TestStore()
    let rights = try FileManager.default.attributesOfItem(atPath: test.path)[.posixPermissions] as? Int
    #expect(rights == 0o600)
  }

  @Test func commitsAreCountedWithTheirTimeAndReadsAreNot() async throws {
    let test = try TestStore()
    let before = test.store.commitStatistics
    try await test.pair(Fixed.device(2), role: .child)
    let paired = test.store.commitStatistics
    #expect(paired.writes > before.writes && paired.commits.sum > before.commits.sum && paired.faults.isEmpty)
    _ = try await test.store.setting("port")
    #expect(test.store.commitStatistics == paired)
  }

  @Test func aFailingJobUndoesNobodyElses() async throws {
    let test = try TestStore()
    let child = Fixed.device(2)
    try await test.pair(child, role: .child)
    let stranger = Fixed.device(9)
    let store = test.store
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let id = CommandID(milliseconds: Int64(number), random: [UInt8](repeating: UInt8(number), count: 10))
          _ = try? await store.issue(id, to: number.isMultiple(of: 10) ? stranger : child, at: 1) { _, _ in
            .requestReport
          }
        }
      }
    }
    let items = try await test.waiting(child, .command)
    #expect(items.map(\.sequence) == Array(1...90))
    #expect(try await test.store.commands(device: nil, limit: 1_000).count == 90)
  }

  @Test func aDamagedFileIsSetAsideAndNotDeleted() async throws {
    let test = try TestStore()
    let child = Fixed.device(2)
    try await test.pair(child, role: .child)
    for number in 0..<200 {
      _ = try await test.send(String(repeating: "x", count: 900), to: child, number: UInt8(number))
    }
    test.store.close()
    let file = try #require(FileHandle(forUpdatingAtPath: test.path))
    for page in 4..<20 {
      try file.seek(toOffset: UInt64(page * 4_096))
      try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
    }
    try file.close()
    #expect {
      _ = try Store(path: test.path, own: test.own, coding: MessageBodyCoding(), keys: TestKeys())
    } throws: { error in
      guard case StoreError.corrupt(_, let setAside?) = error else { return false }
      return FileManager.default.fileExists(atPath: setAside)
    }
    #expect(!FileManager.default.fileExists(atPath: test.path))
    // The next start creates an empty database.
    let fresh = try Store(path: test.path, own: test.own, coding: MessageBodyCoding(), keys: TestKeys())
    #expect(try await fresh.peers().isEmpty)
    fresh.close()
  }

  @Test func aNewerLayoutIsRefused() throws {
    let test = try TestStore()
    test.store.close()
    let queue = try DatabaseQueue(path: test.path)
    try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('999-later')") }
    try queue.close()
    #expect(throws: StoreError.newerVersion(path: test.path)) {
      _ = try Store(path: test.path, own: test.own, coding: MessageBodyCoding(), keys: TestKeys())
    }
  }
}
