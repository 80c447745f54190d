/// `DELETE /v1/devices/{device}` and `POST /v1/devices/{device}/forget`: what removing a device did.
public struct UnpairResult: Hashable, Sendable, Codable {
  public var device: RegisteredDevice
  /// Whether an open session told the other machine; if not, it is told when it next calls, unless it is forgotten.
  public var wasTold: Bool
  /// Commands for it that had not been executed, now cancelled.
  public var cancelledCommands: Int
  /// The first `UnpairResult.namedCommands` of them, oldest first.
  public var cancelled: [CommandID]
  /// Usage records and receipts that waited for it, now given up; records stay in this device's own history.
  public var droppedItems: Int

  /// Commands that are named at most.
  public static let namedCommands = 100

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
