/// The name of a device with the time at which it was given.
///
/// Spec: Protocol/04-session.md §3.
///
/// A label is for people. It is never an identity, and nothing is decided by it.
public struct DeviceLabel: Hashable, Sendable {
  public var name: DeviceName
  /// When it was given, and by which device; `nil` for the name that a device was made with.
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

/// What one side of a session says that the two devices are called.
public struct SessionLabels: Hashable, Sendable {
  /// The sender's own label; `nil` if it has the name it was made with.
  public var own: DeviceLabel?
  /// The label that the sender, a parent's device, holds for the receiver; `nil` if it was never given one.
  public var yours: DeviceLabel?

  public init(own: DeviceLabel? = nil, yours: DeviceLabel? = nil) {
    self.own = own
    self.yours = yours
  }
}

extension DeviceName {
  /// Returns this name if no other device has it, or else the name with the first number that makes it different.
  ///
  /// - Parameter taken: names of other devices. Upper and lower case make no difference.
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
