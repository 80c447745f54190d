import Foundation

/// How much is done of a test that could go on for any length: `Tools/test --thorough` does all of it.
public enum Length {
  /// A Boolean value that indicates whether `Tools/test --thorough` runs the tests.
  public static let isThorough = ProcessInfo.processInfo.environment["LATCHKEY_THOROUGH"] != nil

  /// Returns the first value in usual runs, and the second one in thorough runs.
  public static func pick<Value>(_ usual: Value, thorough: Value) -> Value { isThorough ? thorough : usual }
}
