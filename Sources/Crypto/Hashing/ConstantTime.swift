import CSodium

/// The comparison of bytes in a time that does not depend on their content.
public enum ConstantTime {
  /// Returns whether two byte strings are the same.
  ///
  /// Their sizes are not secret.
  public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && sodium_memcmp(left, right, left.count) == 0
  }
}
