/// The answer to `DELETE /v1/devices/{device}` and `POST /v1/devices/{device}/forget`: the result of a removal.
public struct UnpairResult: Hashable, Sendable, Codable {
  /// The removed device.
  public var device: RegisteredDevice
  /// A Boolean value that indicates whether the other machine was told in an open session.
  ///
  /// If not, it is told in its next session, unless it was forgotten.
  public var wasTold: Bool
  /// The number of commands for the device that had not been executed and are now cancelled.
  public var cancelledCommands: Int
  /// The IDs of the first `UnpairResult.namedCommands` of those commands, oldest first.
  public var cancelled: [CommandID]
  /// The number of usage records and receipts that are no longer queued for the device; records remain in this device's
  /// history.
  public var droppedItems: Int

  /// The largest number of commands that are listed.
  public static let namedCommands = 100

  /// Creates a result.
  public init(
    device: RegisteredDevice, wasTold: Bool, cancelledCommands: Int, cancelled: [CommandID] = [], droppedItems: Int = 0
  ) {
    self.device = device
    self.wasTold = wasTold
    self.cancelledCommands = cancelledCommands
    self.cancelled = cancelled
    self.droppedItems = droppedItems
  }
}
