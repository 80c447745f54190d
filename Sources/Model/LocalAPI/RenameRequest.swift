/// The body of `POST /v1/devices/{device}/rename`, which renames a device or assigns it to a child.
public struct RenameRequest: Hashable, Sendable, Codable {
  /// The new name, 1 to 64 bytes of UTF-8; `nil` to keep it.
  public var name: String?
  /// The name of the child whose machine it is, 1 to 64 bytes of UTF-8; empty for no child, `nil`
  /// to keep it.
  public var childName: String?

  public init(name: String? = nil, childName: String? = nil) {
    self.name = name
    self.childName = childName
  }
}
