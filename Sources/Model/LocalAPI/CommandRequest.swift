/// `POST /v1/commands`: what to ask of which device.
///
/// Only a parent's node takes it.
public struct CommandRequest: Hashable, Sendable {
  /// A name, a device ID, or the beginning of one that fits only one device.
  public var device: String
  /// What is asked; what it leaves out keeps its present value.
  public var action: CommandDraft
  /// Milliseconds that it may wait before it runs out: 1 s to 366 days, 0 for ever; `nil` for what is usual for the kind.
  public var expiresAfter: Int64?

  public init(device: String, action: CommandDraft, expiresAfter: Int64? = nil) {
    self.device = device
    self.action = action
    self.expiresAfter = expiresAfter
  }
}

extension CommandRequest: Codable {
  private enum Field: String, CodingKey {
    case device, expiresAfter
  }

  /// The draft's own members, `kind` and `payload`, stand beside the device.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    device = try fields.decode(String.self, forKey: .device)
    expiresAfter = try fields.decodeIfPresent(Int64.self, forKey: .expiresAfter)
    action = try CommandDraft(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(device, forKey: .device)
    try fields.encodeIfPresent(expiresAfter, forKey: .expiresAfter)
    try action.encode(to: encoder)
  }
}
