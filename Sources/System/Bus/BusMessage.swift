import CSystemd

/// A message of the bus, which is released with the last reference to this object.
final class BusMessage {
  let message: OpaquePointer

  /// Takes over a message.
  init(_ message: OpaquePointer) { self.message = message }

  deinit { sd_bus_message_unref(message) }

  static func type(_ letter: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: letter.value) }

  /// Appends a text; returns `false` if the message does not accept it.
  func append(_ text: String) -> Bool {
    text.withCString { sd_bus_message_append_basic(message, Self.type("s"), $0) >= 0 }
  }

  /// Appends a number; returns `false` if the message does not accept it.
  func append(_ number: UInt32) -> Bool {
    var number = number
    return sd_bus_message_append_basic(message, Self.type("u"), &number) >= 0
  }

  /// Appends a number with a sign; returns `false` if the message does not accept it.
  func append(_ number: Int32) -> Bool {
    var number = number
    return sd_bus_message_append_basic(message, Self.type("i"), &number) >= 0
  }

  /// Appends a list of texts; returns `false` if the message does not accept it.
  func append(_ texts: [String]) -> Bool { append("a", "s") { texts.allSatisfy(append) } }

  /// Appends an entry of a dictionary from texts to variants; returns `false` if the message does
  /// not accept it.
  func append(_ key: String, byte value: UInt8) -> Bool { entry(key, "y", value) }

  /// Appends an entry of a dictionary from texts to variants; returns `false` if the message does
  /// not accept it.
  func append(_ key: String, flag value: Bool) -> Bool { entry(key, "b", value ? 1 as Int32 : 0) }

  private func entry<Value>(_ key: String, _ type: Unicode.Scalar, _ value: Value) -> Bool {
    append("e", "sv") {
      append(key)
        && append("v", String(type)) {
          withUnsafePointer(to: value) { sd_bus_message_append_basic(message, Self.type(type), $0) >= 0 }
        }
    }
  }

  /// Appends a container of that type with what `fill` appends; returns `false` if the message does
  /// not accept it.
  func append(_ letter: Unicode.Scalar, _ contents: String, _ fill: () -> Bool) -> Bool {
    sd_bus_message_open_container(message, Self.type(letter), contents) >= 0 && fill()
      && sd_bus_message_close_container(message) >= 0
  }

  /// Reads a list of texts; `nil` if the next value has another type.
  func texts() -> [String]? {
    guard sd_bus_message_enter_container(message, Self.type("a"), "s") > 0 else { return nil }
    var texts: [String] = []
    while let text = text("s") { texts.append(text) }
    return sd_bus_message_exit_container(message) >= 0 ? texts : nil
  }

  /// Reads a text of type `s` or `o`; `nil` if the next value has another type.
  func text(_ letter: Unicode.Scalar) -> String? {
    var text: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(message, Self.type(letter), &text) > 0, let text else { return nil }
    return String(cString: text)
  }

  /// Reads a number; `nil` if the next value has another type.
  func number() -> UInt32? {
    var number: UInt32 = 0
    return sd_bus_message_read_basic(message, Self.type("u"), &number) > 0 ? number : nil
  }

  /// Reads a text from a variant; `nil` if the next value has another type.
  func textInVariant() -> String? {
    guard sd_bus_message_enter_container(message, Self.type("v"), "s") > 0, let value = text("s"),
      sd_bus_message_exit_container(message) >= 0
    else { return nil }
    return value
  }

  /// Reads a Boolean value from a variant; `nil` if the next value has another type.
  func flagInVariant() -> Bool? {
    var value: Int32 = 0
    guard sd_bus_message_enter_container(message, Self.type("v"), "b") > 0,
      sd_bus_message_read_basic(message, Self.type("b"), &value) > 0,
      sd_bus_message_exit_container(message) >= 0
    else { return nil }
    return value != 0
  }
}
