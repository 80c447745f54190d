import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport

extension CommandRegistry {
  /// The kinds of this version, and the made-up one that sets a thing for which the newest command wins.
  static let sampled = CommandRegistry(household: [SetSample.self])
}

extension StoreRig {
  /// Returns everything that is set by the made-up kind, by device: on a parent what it shows, on a child what it holds.
  func samples(on device: DeviceID? = nil) throws -> [SampleState] {
    let bodies = try look {
      try Data.fetchAll(
        $0,
        sql:
          "SELECT body FROM household_value WHERE key LIKE 'testSetting:%' AND (?1 IS NULL OR device_id = ?1) ORDER BY key",
        arguments: [device.map { Data($0.bytes) }])
    }
    return try bodies.map { try SampleState(bytes: [UInt8]($0)) }
  }

  /// Returns what is set for a thing on a machine; `nil` if nothing is, or if it was removed.
  func sample(_ id: String, on device: DeviceID) throws -> SampleRule? {
    try samples(on: device).map(\.rule).first { $0.id == id && !$0.isRemoved }
  }

  /// Returns what is set for the whole family.
  func family() throws -> SampleRule? { try sample("family", on: own) }
}
