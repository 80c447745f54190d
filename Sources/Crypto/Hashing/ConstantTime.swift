import CSodium

/// Compare bytes without telling, by the time it takes, where they differ.
public enum ConstantTime {
  /// Tell whether two byte strings are the same. Their sizes are no secret.
  public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && sodium_memcmp(left, right, left.count) == 0
  }
}
