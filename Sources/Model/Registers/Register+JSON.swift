extension Register: Codable {
  private enum Field: String, CodingKey { case zone, id, key, value, modified }

  /// Decodes a register.
  ///
  /// The member `zone` is `family`, `child` or `machine`, with the child's or the device's ID in
  /// `id`.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    let zone: Zone
    switch try fields.decode(Zone.Word.self, forKey: .zone) {
    case .family: zone = .family
    case .child: zone = .child(try fields.decode(ChildID.self, forKey: .id))
    case .machine: zone = .machine(try fields.decode(DeviceID.self, forKey: .id))
    }
    self.init(
      zone, try fields.decode(RegisterKey.self, forKey: .key), try fields.decodeIfPresent(String.self, forKey: .value),
      modified: try fields.decode(HybridTimestamp.self, forKey: .modified))
  }

  /// Encodes the register.
  ///
  /// The family has no member `id`, and a deleted register no `value`. What a PIN is kept as is
  /// left out as `set`.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    switch zone {
    case .family: try fields.encode(Zone.Word.family, forKey: .zone)
    case .child(let id):
      try fields.encode(Zone.Word.child, forKey: .zone)
      try fields.encode(id, forKey: .id)
    case .machine(let id):
      try fields.encode(Zone.Word.machine, forKey: .zone)
      try fields.encode(id, forKey: .id)
    }
    try fields.encode(key, forKey: .key)
    try fields.encodeIfPresent(shownValue, forKey: .value)
    try fields.encode(modified, forKey: .modified)
  }
}

extension Register {
  /// The value as anybody may read it: what a PIN is kept as is nobody's to read.
  public var shownValue: String? { key == "pin" ? value.map { _ in "set" } : value }
}

extension Zone {
  /// The kind of a zone in JSON.
  public enum Word: String, Codable, Sendable, Hashable, CaseIterable {
    case family
    case child
    case machine
  }
}
