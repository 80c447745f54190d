/// The body of `POST /v1/commands`: a command to issue.
///
/// Only a parent's node accepts it.
public struct CommandRequest: Hashable, Sendable {
  /// The child's machine: its name, its device ID, or an unambiguous prefix of the ID.
  public var device: String
  /// The draft of the command; omitted values stay as they are.
  public var action: CommandDraft
  /// The lifetime in milliseconds: 1 s to 366 days, or 0 for no limit; `nil` for the default of the
  /// kind.
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

  /// Decodes the value from its JSON form, in which the draft's members `kind` and `payload` are
  /// beside the device.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    device = try fields.decode(String.self, forKey: .device)
    expiresAfter = try fields.decodeIfPresent(Int64.self, forKey: .expiresAfter)
    action = try CommandDraft(from: decoder)
  }

  /// Encodes the value in its JSON form.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(device, forKey: .device)
    try fields.encodeIfPresent(expiresAfter, forKey: .expiresAfter)
    try action.encode(to: encoder)
  }
}
