import Foundation
import GRDB
import LatchkeyModel
import Testing

@testable import LatchkeyStore

/// Parts of what a store holds, as tests look at them.
extension Store {
  func outboxPositions(_ device: DeviceID) async throws -> [StreamClass: OutboxPosition] {
    try await streams(with: device).outbox
  }

  func inboxPositions(_ device: DeviceID) async throws -> [StreamPosition] { try await streams(with: device).inbox }

  func heldItems(_ device: DeviceID) async throws -> [HeldItem] { try await streams(with: device).held }

  func registers() async throws -> RegisterMap { try await #require(household()?.registers).own }

  func toldRegisters() async throws -> [DeviceID: RegisterMap] { try await #require(household()?.registers).told }

  func otherParents() async throws -> [DeviceID: [OtherParent]] { try await peersAndOtherParents().otherParents }

  /// Returns the number of usage records of a device.
  func usageCount(device: DeviceID) async throws -> Int {
    try await read {
      try Int.fetchOne(
        $0, sql: "SELECT COUNT(*) FROM usage_record WHERE device_id = ?", arguments: [Data(device.bytes)]) ?? 0
    }
  }

  /// Returns `PRAGMA synchronous` of the writing connection; 2 is FULL.
  func synchronousLevel() async throws -> Int? {
    try await commits.commit { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
  }
}
