import CSystemd

/// A message of the bus, which is released with the last reference to this object.
final class BusMessage {
  let message: OpaquePointer

  /// Takes over a message.
  init(_ message: OpaquePointer) { self.message = message }

  deinit { sd_bus_message_unref(message) }

  /// Appends a text; returns `false` if the message does not accept it.
  func append(_ text: String) -> Bool {
    text.withCString { sd_bus_message_append_basic(message, LoginBus.type("s"), $0) >= 0 }
  }

  /// Appends a number; returns `false` if the message does not accept it.
  func append(_ number: UInt32) -> Bool {
    var number = number
    return sd_bus_message_append_basic(message, LoginBus.type("u"), &number) >= 0
  }

  /// Reads a text of type `s` or `o`; `nil` if the next value has another type.
  func text(_ letter: Unicode.Scalar) -> String? {
    var text: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(message, LoginBus.type(letter), &text) > 0, let text else { return nil }
    return String(cString: text)
  }

  /// Reads a number; `nil` if the next value has another type.
  func number() -> UInt32? {
    var number: UInt32 = 0
    return sd_bus_message_read_basic(message, LoginBus.type("u"), &number) > 0 ? number : nil
  }

  /// Reads a text from a variant; `nil` if the next value has another type.
  func textInVariant() -> String? {
    guard sd_bus_message_enter_container(message, LoginBus.type("v"), "s") > 0, let value = text("s"),
      sd_bus_message_exit_container(message) >= 0
    else { return nil }
    return value
  }

  /// Reads a Boolean value from a variant; `nil` if the next value has another type.
  func flagInVariant() -> Bool? {
    var value: Int32 = 0
    guard sd_bus_message_enter_container(message, LoginBus.type("v"), "b") > 0,
      sd_bus_message_read_basic(message, LoginBus.type("b"), &value) > 0,
      sd_bus_message_exit_container(message) >= 0
    else { return nil }
    return value != 0
  }
}
