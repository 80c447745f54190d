import GRDB
import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyStore

/// Tests of the stored data about programs that have ended: Protocol/13-agent.md §5.
@Suite struct EndedProgramTests {
  @Test("As many ends are kept as an agent tells again, and of one program the latest")
  func bound() async throws {
    try await DatabaseQueue().write { database in
      try database.execute(sql: Migration001.sql)
      func note(_ number: Int, at milliseconds: Int64) throws {
        try database.note(
          BootInstant(milliseconds: milliseconds), of: ProcessIdentity(processID: 7, startTime: UInt64(number)),
          bootID: "boot")
      }
      func end(_ number: Int) throws -> Int64? {
        try database.end(of: ProcessIdentity(processID: 7, startTime: UInt64(number)), bootID: "boot")?.milliseconds
      }
      for number in 0..<4_096 { try note(number, at: 100) }
      try note(0, at: 200)
      #expect(try (end(0), end(1)) == (200, 100))
      try note(4_096, at: 300)
      #expect(try (end(0), end(1), end(2), end(4_096)) == (200, nil, 100, 300))
      #expect(try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM ended_process") == 4_096)
    }
  }
}
