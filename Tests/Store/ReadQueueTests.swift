import Dispatch
import Foundation
import GRDB
import Synchronization
import Testing

@testable import LatchkeyStore

/// Reads of the database beside each other, and the transactions in which they run.
final class ReadQueueTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lk-reads-\(UUID().uuidString)")
  private let path: String
  private let writer: DatabaseQueue

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path + "/read.sqlite"
    writer = try DatabaseQueue(path: path)
    try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER)") }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func queue(limit: Int, opened: Counter = Counter()) -> ReadQueue {
    ReadQueue(limit: limit) { [path] in
      opened.add()
      return try DatabaseQueue(path: path)
    }
  }

  @Test("A short read goes past a long one, and no more connections are opened than allowed")
  func beside() async throws {
    let opened = Counter()
    let reads = queue(limit: 2, opened: opened)
    let isDone = DispatchSemaphore(value: 0)
    async let long = reads.read { _ in isDone.wait() }
    for _ in 0..<20 { #expect(try await reads.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1) }
    isDone.signal()
    _ = try await long
    #expect((1...2).contains(opened.value))
  }

  @Test("A read sees one state of the database, whatever is committed meanwhile")
  func snapshot() async throws {
    let reads = queue(limit: 1)
    let counts = try await reads.read { [writer] database in
      let before = try Int.fetchOne(database, sql: "SELECT count(*) FROM t")
      try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
      return [before, try Int.fetchOne(database, sql: "SELECT count(*) FROM t")]
    }
    #expect(counts == [0, 0])
    #expect(try await reads.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
  }

  @Test("A read that fails leaves its connection in order")
  func failure() async throws {
    let reads = queue(limit: 1)
    await #expect(throws: DatabaseError.self) { () async throws -> Void in
      try await reads.read { try $0.execute(sql: "SELECT * FROM missing") }
    }
    #expect(try await reads.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
  }

  @Test("Where no connection can be opened, each read says so, until one can be")
  func unopened() async throws {
    let mayOpen = Mutex(false)
    let reads = ReadQueue(limit: 1) { [path] in
      guard mayOpen.withLock({ $0 }) else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
      return try DatabaseQueue(path: path)
    }
    for _ in 0..<2 {
      await #expect(throws: DatabaseError.self) { () async throws -> Void in try await reads.read { _ in } }
    }
    mayOpen.withLock { $0 = true }
    try await reads.read { _ in }
  }

  @Test("Closing waits for the reads under way and refuses later ones; a cancelled task's read runs")
  func closing() async throws {
    let reads = queue(limit: 2)
    let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hasEnded = Counter()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await reads.read { _ in
        begun.signal()
        mayEnd.wait()
        hasEnded.add()
        return 1
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        begun.wait()
        DispatchQueue.global().async { mayEnd.signal() }
        reads.close()
        #expect(hasEnded.value == 1)
        continuation.resume()
      }
    }
    #expect(try await task.value == 1)
    await #expect(throws: DatabaseError.self) { () async throws -> Void in try await reads.read { _ in } }
  }

  @Test("What a transaction wrote is gone if its body throws")
  func rollback() throws {
    struct Fault: Error {}
    let failing = { (database: Database) throws in
      try database.transaction("BEGIN IMMEDIATE TRANSACTION") {
        try database.run("INSERT INTO t VALUES (1)")
        throw Fault()
      }
    }
    #expect(throws: Fault.self) { try writer.writeWithoutTransaction(failing) }
    let numbers = try writer.writeWithoutTransaction { database in
      try database.transaction("BEGIN IMMEDIATE TRANSACTION") { try database.run("INSERT INTO t VALUES (2)") }
      return try Int.fetchAll(database, sql: "SELECT n FROM t")
    }
    #expect(numbers == [2])
  }
}

/// A number that several threads raise.
private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}
