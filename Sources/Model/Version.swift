/// Versions of the software and of what it speaks.
public enum Version {
  /// The software's own.
  public static let software = "0.1.0"
  /// The least and greatest protocol version spoken. Spec: Protocol/01-overview.md §5.
  public static let protocolRange: ClosedRange<UInt32> = 1...1
}
