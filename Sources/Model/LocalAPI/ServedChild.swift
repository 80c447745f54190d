/// A child that this machine serves.
public struct ServedChild: Hashable, Sendable {
  /// The child's ID.
  public var id: ChildID
  /// The child's name.
  public var name: DeviceName
  /// A Boolean value that indicates whether the machine serves no other child.
  public var isOnlyOne: Bool

  /// Creates a value for a child.
  public init(id: ChildID, name: DeviceName, isOnlyOne: Bool) {
    self.id = id
    self.name = name
    self.isOnlyOne = isOnlyOne
  }
}
