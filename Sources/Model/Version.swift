/// The versions of the software and the protocol.
public enum Version {
  public static let software = "0.1.0"
  /// The lowest and highest protocol version that is supported.
  ///
  /// Spec: Protocol/01-overview.md §5.
  public static let protocolRange: ClosedRange<UInt32> = 1...1
}
