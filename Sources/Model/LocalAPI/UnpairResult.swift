/// `DELETE /v1/devices/{device}`: what removing a device did.
public struct UnpairResult: Hashable, Sendable, Codable {
  public var device: RegisteredDevice
  /// Whether an open session told the other machine; if not, it is told when it next calls.
  public var wasTold: Bool
  /// Commands for it that had not been executed, now cancelled.
  public var cancelledCommands: Int

  public init(device: RegisteredDevice, wasTold: Bool, cancelledCommands: Int) {
    self.device = device
    self.wasTold = wasTold
    self.cancelledCommands = cancelledCommands
  }
}
