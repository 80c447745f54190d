import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@testable import LatchkeyStore

/// The reads of a store while its node starts, which use the connection that writes.
@Suite struct StartingStoreTests {
  private final class Rig {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lk-start-\(UUID().uuidString)")
    let store: Store

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var random = SeededRandom(seed: 1)
      store = try Store(
        path: folder.appendingPathComponent("db.sqlite").path, own: Samples.deviceID(&random),
        coding: MessageBodyCoding(), keys: TestKeys(), isStarting: true)
    }

    deinit {
      store.close()
      try? FileManager.default.removeItem(at: folder)
    }

    /// The number of open connections to the database's file.
    var connections: Int {
      let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      let targets = files?.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
      }
      return targets?.count { $0 == folder.appendingPathComponent("db.sqlite").path } ?? 0
    }
  }

  @Test func aStartReadsAndWritesThroughOneConnection() async throws {
    let rig = try Rig()
    try await rig.store.set("port", to: "1")
    let read = try await rig.store.setting("port")
    #expect(read == "1")
    #expect(rig.connections == 1)
  }

  @Test func laterReadsHaveConnectionsOfTheirOwn() async throws {
    let rig = try Rig()
    _ = try await rig.store.setting("port")
    rig.store.hasStarted()
    try await rig.store.set("port", to: "2")
    let read = try await rig.store.setting("port")
    #expect(read == "2")
    #expect(rig.connections == 2)
  }

  @Test func readsGoOnWhileTheStartEnds() async throws {
    let rig = try Rig()
    try await rig.store.set("port", to: "3")
    let store = rig.store
    let values = try await withThrowingTaskGroup(of: String?.self) { group in
      for index in 0..<64 {
        group.addTask {
          if index == 32 { store.hasStarted() }
          return try await store.setting("port")
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(values == Array(repeating: "3", count: 64))
  }
}
