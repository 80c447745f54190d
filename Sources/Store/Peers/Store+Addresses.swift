import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Returns the addresses at which a device was authenticated, latest success first; at most
  /// `Limits.addresses`.
  public func addresses(of device: DeviceID) async throws(StoreError) -> [RememberedAddress] {
    try await read { database in
      let rows = try database.rows(
        """
        SELECT a.* FROM address a JOIN peer p ON p.number = a.peer WHERE p.device_id = ?
        ORDER BY a.last_success_at DESC, a.network, a.address
        """, [Data(device.bytes)])
      return try rows.map { row in
        guard let source = AddressSource(rawValue: row["source"])
        else { throw StoreError.unexpected("how an address was learnt") }
        let network: String = row["network"]
        return RememberedAddress(
          reached: ReachedAddress(row["address"], source: source, network: network.isEmpty ? nil : network),
          lastSuccessAt: row["last_success_at"], lastFailureAt: row["last_failure_at"], failure: row["failure"])
      }
    }
  }

  /// Records that a call to an address failed, if the device was once authenticated there on this
  /// network (`nil` if unknown).
  ///
  /// The first 512 bytes of the reason are kept.
  public func addressFailed(
    _ address: String, of device: DeviceID, network: String?, reason: String, at wall: Int64
  ) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      try database.run(
        """
        UPDATE address SET last_failure_at = ?, failure = ?
        WHERE peer = (SELECT number FROM peer WHERE device_id = ?) AND network = ? AND address = ?
        """,
        [wall, String(decoding: reason.utf8.prefix(512), as: UTF8.self), Data(device.bytes), network ?? "", address])
    }
  }
}

extension Database {
  /// Records an address at which a device was authenticated; the addresses with the oldest
  /// successes are deleted beyond the limit.
  func reached(_ reached: ReachedAddress, _ device: DeviceID, at wall: Int64) throws {
    try run(
      """
      INSERT INTO address (peer, network, address, source, last_success_at)
      SELECT number, ?, ?, ?, ? FROM peer WHERE device_id = ?
      ON CONFLICT DO UPDATE SET last_success_at = excluded.last_success_at,
        source = CASE excluded.source WHEN 'connection' THEN source ELSE excluded.source END
      """, [reached.network ?? "", reached.address, reached.source.rawValue, wall, Data(device.bytes)])
    try run(
      """
      DELETE FROM address WHERE peer = (SELECT number FROM peer WHERE device_id = ?1) AND (network, address) NOT IN (
        SELECT a.network, a.address FROM address a JOIN peer p ON p.number = a.peer WHERE p.device_id = ?1
        ORDER BY a.last_success_at DESC LIMIT ?2)
      """, [Data(device.bytes), Limits.addresses])
  }
}
