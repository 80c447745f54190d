import Foundation

/// The amount of work in a test that could go on for any length.
///
/// `Tools/test --thorough` does all of it.
public enum Length {
  public static let isThorough = ProcessInfo.processInfo.environment["LATCHKEY_THOROUGH"] != nil

  public static func pick<Value>(_ usual: Value, thorough: Value) -> Value { isThorough ? thorough : usual }
}
