import Foundation
import GRDB
import Glibc
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of the database file: how it is written, checked, and refused.
@Suite struct StoreFileTests {
  @Test("Every commit reaches the disk: synchronous is FULL on the writing connection, even after reopening")
  func synchronousIsFull() async throws {
    let rig = try StoreRig()
    #expect(try await rig.store.synchronousLevel() == 2)
    try await rig.paired()
    try rig.reopen()
    #expect(try await rig.store.synchronousLevel() == 2)
    #expect(try rig.look { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
  }

  @Test("Every table is strict, and the file is private to its owner")
  func strictAndPrivate() throws {
    let rig = try StoreRig()
    let loose = try rig.look {
      try String.fetchAll(
        $0, sql: "SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite_%'")
    }
    // The only table that is not strict is GRDB's own.
    #expect(loose == ["grdb_migrations"])
    #expect(try rig.look { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM pragma_table_list WHERE strict") ?? 0 } > 15)
    for name in try FileManager.default.contentsOfDirectory(atPath: rig.folder.path) {
      let rights =
        try FileManager.default.attributesOfItem(atPath: rig.folder.path + "/" + name)[.posixPermissions] as? Int
      #expect(rights == 0o600, "\(name)")
    }
  }

  @Test("A closed store has written its log back into the file")
  func closedIsWhole() async throws {
    let rig = try StoreRig()
    for number in 0..<50 { try await rig.store.set("key \(number)", to: "value") }
    rig.store.close()
    let log = try? FileManager.default.attributesOfItem(atPath: rig.path + "-wal")[.size] as? Int
    #expect((log ?? 0) == 0)
    try rig.reopen()
    #expect(try await rig.store.setting("key 49") == "value")
  }

  @Test("A store that is closed while others read has written its log back into the file")
  func closedBesideReaders() async throws {
    for _ in 0..<20 {
      let rig = try StoreRig()
      let store = rig.store
      for number in 0..<5 { try await store.set("key \(number)", to: "value") }
      await withTaskGroup(of: Void.self) { group in
        let (readings, reads) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        for _ in 0..<3 {
          group.addTask {
            // The reads end because the store is closed.
            while (try? await store.setting("key 4")) == "value" { reads.yield() }
          }
        }
        for await _ in readings { break }
        store.close()
      }
      let log = try? FileManager.default.attributesOfItem(atPath: rig.path + "-wal")[.size] as? Int
      #expect((log ?? 0) == 0)
    }
  }

  @Test("In the boot whose age clock is stored, a start writes nothing; in another one, it stores its own")
  func startsWithoutWriting() async throws {
    let rig = try StoreRig()
    rig.store.close()
    let noted = try rig.look { try Row.fetchOne($0, sql: "SELECT * FROM age_clock") }
    #expect(noted != nil)
    rig.clock.advance(3_600_000)
    try rig.reopen()
    #expect(try rig.look { try Row.fetchOne($0, sql: "SELECT * FROM age_clock") } == noted)
    rig.store.close()
    let closed = try rig.look { try Int64.fetchOne($0, sql: "SELECT last_boot FROM age_clock") }
    #expect(closed == rig.clock.now.milliseconds, "The end of a node is noted.")
    rig.clock.reboot()
    try rig.reopen()
    let base = try rig.look { try Int64.fetchOne($0, sql: "SELECT base FROM age_clock") }
    #expect(base == closed, "The clock continues where the last boot was noted.")
  }

  @Test("Migrations run once, and a file with an unknown migration is refused and not changed")
  func migrations() async throws {
    let rig = try StoreRig()
    let device = try await rig.paired()
    try rig.reopen()
    #expect(try await rig.store.peers().map(\.device.deviceID) == [device])
    rig.store.close()
    try rig.edit("INSERT INTO grdb_migrations VALUES ('999-later')")
    #expect(throws: StoreError.newerVersion(path: rig.path)) { try rig.reopen() }
    #expect(FileManager.default.fileExists(atPath: rig.path))
    try rig.edit("DELETE FROM grdb_migrations WHERE identifier = '999-later'")
    try rig.reopen()
    #expect(try await rig.store.peers().map(\.device.deviceID) == [device])
  }

  @Test("Damaged files are set aside under unused names, and never overwritten")
  func setAside() throws {
    let rig = try StoreRig()
    for number in 1...3 {
      rig.store.close()
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: rig.path + suffix) }
      let damaged = Data("damage \(number), and no database".utf8)
      try damaged.write(to: URL(fileURLWithPath: rig.path))
      let target = "\(rig.path).damaged-\(number)"
      #expect(throws: StoreError.corrupt(path: rig.path, setAside: target)) { try rig.reopen() }
      #expect(FileManager.default.contents(atPath: target) == damaged)
      #expect(!FileManager.default.fileExists(atPath: rig.path))
      try rig.reopen()
    }
  }

  @Test("A file that is as it was closed is examined later; damage found then is set aside by the next start")
  func examined() async throws {
    let rig = try StoreRig()
    #expect(!rig.store.isUnexamined, "It is new.")
    for number in 0..<200 { try await rig.store.set("key \(number)", to: String(repeating: "value", count: 100)) }
    try rig.reopen()
    #expect(rig.store.isUnexamined)
    await rig.store.examine()
    #expect(rig.store.diskFault == nil)
    rig.store.close()
    // The disk loses two pages with settings, of which the file system knows nothing.
    var (state, times) = (stat(), [timespec(), timespec()])
    #expect(stat(rig.path, &state) == 0)
    times = [state.st_atim, state.st_mtim]
    let file = try #require(FileHandle(forUpdatingAtPath: rig.path))
    try file.seek(toOffset: UInt64(state.st_size) - 12 * 4_096)
    try file.write(contentsOf: Data(repeating: 0xA5, count: 8_192))
    try file.close()
    #expect(utimensat(AT_FDCWD, rig.path, times, 0) == 0)
    try rig.reopen()
    #expect(rig.store.isUnexamined)
    await rig.store.examine()
    #expect(rig.store.diskFault?.isDamage == true)
    rig.store.close()
    #expect(throws: StoreError.corrupt(path: rig.path, setAside: rig.path + ".damaged-1")) { try rig.reopen() }
  }

  @Test("A file that was not closed, or that was changed since, is examined before it is used")
  func examinedAtOnce() throws {
    let rig = try StoreRig()
    rig.store.close()
    try FileManager.default.removeItem(atPath: rig.path + "-closed")
    try rig.reopen()
    #expect(!rig.store.isUnexamined, "It was killed.")
    rig.store.close()
    try rig.edit("INSERT INTO setting VALUES ('a', 'b')")
    try rig.reopen()
    #expect(!rig.store.isUnexamined, "It was changed.")
  }

  @Test("Many simultaneous commits all take effect, and a failed one undoes no other")
  func groupCommit() async throws {
    let rig = try StoreRig()
    let device = try await rig.paired()
    let nobody = rig.device().deviceID
    let store = rig.store
    let failures = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<400 {
        group.addTask {
          do {
            if number % 40 == 17 {
              // The transaction fails after it has written; its changes must be undone.
              _ = try await store.issue(
                CommandID(milliseconds: 1, random: Array(repeating: UInt8(number / 40), count: 10)), to: device, at: 1
              ) { _, _ in
                throw StoreError.unexpected("on purpose")
              }
            } else if number % 40 == 18 {
              try await store.seen(nobody, address: nil, synced: false, at: 1)
              _ = try await store.cancel(CommandID(milliseconds: 9, random: Array(repeating: 9, count: 10)), at: 1)
              try await store.removalTold(nobody)
              throw StoreError.noSuchPeer
            } else {
              try await store.set("key \(number)", to: "\(number)")
            }
            return false
          } catch { return true }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(failures == 20)
    for number in 0..<400 where ![17, 18].contains(number % 40) {
      #expect(try await store.setting("key \(number)") == "\(number)")
    }
    #expect(try await store.commands(device: nil, limit: 10).isEmpty)
    #expect(try await store.outboxPositions(device).isEmpty)
  }
}
