/// The name of a device with the time at which it was given.
///
/// A label is for people. It is never an identity, and no decision depends on it.
///
/// Spec: Protocol/04-session.md §3.
public struct DeviceLabel: Hashable, Sendable {
  public var name: DeviceName
  /// The time of the naming and the device that named it; `nil` for the name with which a device
  /// was created.
  public var at: HybridTimestamp?

  public init(_ name: DeviceName, at: HybridTimestamp? = nil) {
    self.name = name
    self.at = at
  }

  /// Returns whether this label replaces another one of the same device.
  public func replaces(_ other: DeviceLabel) -> Bool {
    guard let at else { return false }
    return other.at.map { $0 < at } ?? true
  }
}

/// The names of the two devices as one side of a session states them.
public struct SessionLabels: Hashable, Sendable {
  /// The sender's own label; `nil` if it still has its first name.
  public var own: DeviceLabel?
  /// The label that the sender, a parent's machine, has for the receiver; `nil` if it gave none.
  public var yours: DeviceLabel?

  public init(own: DeviceLabel? = nil, yours: DeviceLabel? = nil) {
    self.own = own
    self.yours = yours
  }
}

extension DeviceName {
  /// Returns this name, followed by the smallest number that makes it different if another device
  /// has it.
  ///
  /// - Parameter taken: The names of the other devices, compared without regard to case.
  /// - Returns: A name that is not in `taken`.
  public func distinct(from taken: [DeviceName]) -> DeviceName {
    let taken = Set(taken.map { $0.text.lowercased() })
    guard taken.contains(text.lowercased()) else { return self }
    for number in 2...(taken.count + 2) {
      let ending = " \(number)"
      var beginning = text
      while beginning.utf8.count + ending.utf8.count > Self.maximumBytes { beginning.unicodeScalars.removeLast() }
      let name = DeviceName(sanitising: beginning + ending)
      if !taken.contains(name.text.lowercased()) { return name }
    }
    return self
  }
}
