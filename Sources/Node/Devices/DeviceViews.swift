import LatchkeyModel

/// A device that was renamed.
public struct RenameResult: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  /// The device's name after the change.
  public var name: DeviceName
  /// The name of the child whose machine it is; `nil` for no child.
  public var childName: String?
  /// A Boolean value that indicates whether the device is the node's own.
  public var isOwn: Bool
  /// The names of the devices that will hear of the change in their next session.
  public var untold: [DeviceName]
  /// The log-in names of the device's accounts that were a child's and are no child's any more,
  /// since it is not that child's device any more.
  public var unassigned: [String] = []
}

/// The answer to `DELETE /v1/devices/{device}` and `POST /v1/devices/{device}/forget`: the result
/// of a removal.
package struct UnpairResult: Hashable, Sendable, Codable {
  package var device: RegisteredDevice
  /// A Boolean value that indicates whether the other machine was told in an open session.
  ///
  /// If not, it is told in its next session, unless it was forgotten.
  package var wasTold: Bool
  /// The number of commands for the device that had not been executed and are now cancelled.
  package var cancelledCommands: Int
  /// The IDs of the first `UnpairResult.namedCommands` of those commands, oldest first.
  package var cancelled: [CommandID] = []
  /// The number of usage records and receipts that are no longer queued for the device; records
  /// remain in this device's history.
  package var droppedItems: Int = 0

  /// The largest number of commands that are listed.
  package static let namedCommands = 100
}

/// A setting of this machine's that it had lost and has taken over again from a child's machine.
package struct AdoptedSetting: Hashable, Sendable, Codable {
  package var key: RegisterKey
  /// The value, in the form that is stored; `nil` if the register was deleted.
  package var value: String?
  package var words: String
}
