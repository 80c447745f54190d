import CSystemd
import Glibc

/// A connection to a message bus, through libsystemd.
///
/// One thread uses it at a time. Each call has a time limit. A call without an answer ends the
/// connection, and a new one must be created.
final class BusConnection {
  private static let mostMessages = 256

  /// The instant until which a call waits for an answer.
  struct Deadline {
    private let end: Int64
    init(_ milliseconds: Int64) { end = SystemClock.boot.milliseconds + milliseconds }
    var milliseconds: Int64 { max(0, end - SystemClock.boot.milliseconds) }
  }

  /// A method of a service's.
  struct Method {
    var service: String
    var path: String
    var interface: String
    var name: String
  }

  /// What is done with the signals of one subscription.
  private final class Subscriber {
    let receive: (BusMessage) -> Void
    init(_ receive: @escaping (BusMessage) -> Void) { self.receive = receive }
  }

  private let library: SystemdLibrary
  /// The bus, kept alive by its own reference until this object is released.
  private let bus: OpaquePointer
  private var subscribers: [Subscriber] = []
  /// A Boolean value that indicates whether the connection can still be used.
  private(set) var isConnected = true
  /// Why the last call that returned `nil` did, in the service's own words.
  private(set) var refusal = ""

  /// libsystemd, loaded at its first use; `nil` if it is not installed.
  private static let loaded: SystemdLibrary? = {
    var library = SystemdLibrary()
    return latchkey_load_systemd(&library) == 1 ? library : nil
  }()

  /// Connects to the bus of an address; `nil` if none answers in time.
  init?(address: String, within milliseconds: Int64) {
    var opened: OpaquePointer?
    guard let library = Self.loaded, library.sd_bus_new(&opened) >= 0, let bus = opened else { return nil }
    (self.library, self.bus) = (library, bus)
    guard library.sd_bus_set_address(bus, address) >= 0, library.sd_bus_set_bus_client(bus, 1) >= 0,
      library.sd_bus_start(bus) >= 0, becomesReady(Deadline(milliseconds))
    else {
      isConnected = false
      return nil
    }
  }

  deinit {
    library.sd_bus_close(bus)
    _ = library.sd_bus_unref(bus)
  }

  /// The descriptor, which can be polled for messages to process.
  var descriptor: Int32 { isConnected ? library.sd_bus_get_fd(bus) : -1 }

  /// Gives up the connection, such as after an answer of the wrong form.
  func end() { isConnected = false }

  /// Waits until the bus has accepted this process.
  private func becomesReady(_ end: Deadline) -> Bool {
    while true {
      let result = library.sd_bus_process(bus, nil)
      guard result >= 0 else { return false }
      if library.sd_bus_is_ready(bus) > 0 { return true }
      guard end.milliseconds > 0 else { return false }
      if result == 0, library.sd_bus_wait(bus, UInt64(end.milliseconds) * 1_000) < 0, errno != EINTR { return false }
    }
  }

  /// Hands arrived messages to their subscribers; returns `false` if the connection has ended.
  ///
  /// Call this before each wait for the descriptor, since a call may have received signals.
  func process() -> Bool {
    for _ in 0..<Self.mostMessages where isConnected {
      let result = library.sd_bus_process(bus, nil)
      if result == 0 { break }
      if result < 0 { isConnected = false }
    }
    return isConnected
  }

  /// Subscribes to the signals that a match rule of D-Bus describes, without waiting for the bus to
  /// confirm it; returns whether that was possible.
  func subscribe(_ rule: String, _ receive: @escaping (BusMessage) -> Void) -> Bool {
    let subscriber = Subscriber(receive)
    subscribers.append(subscriber)
    return library.sd_bus_add_match_async(
      bus, nil, rule,
      { message, own, _ in
        guard let message, let own, let library = BusConnection.loaded,
          let kept = library.sd_bus_message_ref(message)
        else { return 0 }
        Unmanaged<Subscriber>.fromOpaque(own).takeUnretainedValue().receive(BusMessage(kept, library))
        return 0
      }, nil, Unmanaged.passUnretained(subscriber).toOpaque()) >= 0
  }

  /// Calls a method, and returns its answer; `nil` if it is refused or does not arrive in time.
  func call(_ method: Method, within limit: Deadline, _ fill: (BusMessage) -> Bool = { _ in true }) -> BusMessage? {
    refusal = "the bus does not answer"
    guard isConnected, limit.milliseconds > 0 else { return nil }
    var made: OpaquePointer?
    guard
      library.sd_bus_message_new_method_call(
        bus, &made, method.service, method.path, method.interface, method.name) >= 0, let made
    else { return nil }
    let request = BusMessage(made, library)
    guard fill(request) else { return nil }
    var answer: OpaquePointer?
    var error = sd_bus_error()
    defer { library.sd_bus_error_free(&error) }
    let result = library.sd_bus_call(bus, request.message, UInt64(limit.milliseconds) * 1_000, &error, &answer)
    if [-ETIMEDOUT, -ECONNRESET, -ENOTCONN, -EPIPE].contains(result) { isConnected = false }
    if let words = error.message { refusal = String(cString: words) }
    guard result >= 0, let answer else { return nil }
    return BusMessage(answer, library)
  }
}

/// A message of the bus, which is released with the last reference to this object.
final class BusMessage {
  fileprivate let message: OpaquePointer
  private let library: SystemdLibrary

  /// Takes over a message.
  init(_ message: OpaquePointer, _ library: SystemdLibrary) { (self.message, self.library) = (message, library) }

  deinit { _ = library.sd_bus_message_unref(message) }

  static func type(_ letter: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: letter.value) }

  /// Appends a text; returns `false` if the message does not accept it.
  func append(_ text: String) -> Bool {
    text.withCString { library.sd_bus_message_append_basic(message, Self.type("s"), $0) >= 0 }
  }

  /// Appends a number; returns `false` if the message does not accept it.
  func append(_ number: UInt32) -> Bool { append("u", of: number) }

  /// Appends a number with a sign; returns `false` if the message does not accept it.
  func append(_ number: Int32) -> Bool { append("i", of: number) }

  private func append<Value>(_ type: Unicode.Scalar, of value: Value) -> Bool {
    withUnsafePointer(to: value) { library.sd_bus_message_append_basic(message, Self.type(type), $0) >= 0 }
  }

  /// Appends a list of texts; returns `false` if the message does not accept it.
  func append(_ texts: [String]) -> Bool { append("a", "s") { texts.allSatisfy(append) } }

  /// Appends an entry of a dictionary from texts to variants; returns `false` if refused.
  func append(_ key: String, byte value: UInt8) -> Bool { entry(key, "y", value) }

  /// Appends an entry of a dictionary from texts to variants; returns `false` if refused.
  func append(_ key: String, flag value: Bool) -> Bool { entry(key, "b", value ? 1 as Int32 : 0) }

  private func entry<Value>(_ key: String, _ type: Unicode.Scalar, _ value: Value) -> Bool {
    append("e", "sv") { append(key) && append("v", String(type)) { append(type, of: value) } }
  }

  /// Appends a container with what `fill` appends; returns `false` if the message refuses it.
  func append(_ letter: Unicode.Scalar, _ contents: String, _ fill: () -> Bool) -> Bool {
    library.sd_bus_message_open_container(message, Self.type(letter), contents) >= 0 && fill()
      && library.sd_bus_message_close_container(message) >= 0
  }

  /// Enters a container; returns `false` if the next value is none of that kind.
  func enter(_ letter: Unicode.Scalar, _ contents: String) -> Bool {
    library.sd_bus_message_enter_container(message, Self.type(letter), contents) > 0
  }

  /// Leaves a container; returns `false` if it has further values.
  func leave() -> Bool { library.sd_bus_message_exit_container(message) >= 0 }

  /// Skips a value; returns `false` if the next one has another type.
  func skip(_ contents: String) -> Bool { library.sd_bus_message_skip(message, contents) >= 0 }

  /// Reads a list of texts; `nil` if the next value has another type.
  func texts() -> [String]? {
    guard enter("a", "s") else { return nil }
    var texts: [String] = []
    while let text = text("s") { texts.append(text) }
    return leave() ? texts : nil
  }

  /// Reads a text of type `s` or `o`; `nil` if the next value has another type.
  func text(_ letter: Unicode.Scalar) -> String? {
    var text: UnsafePointer<CChar>?
    guard library.sd_bus_message_read_basic(message, Self.type(letter), &text) > 0, let text else { return nil }
    return String(cString: text)
  }

  /// Reads a number; `nil` if the next value has another type.
  func number() -> UInt32? {
    var number: UInt32 = 0
    return library.sd_bus_message_read_basic(message, Self.type("u"), &number) > 0 ? number : nil
  }

  /// Reads a text from a variant; `nil` if the next value has another type.
  func textInVariant() -> String? {
    guard enter("v", "s"), let value = text("s"), leave() else { return nil }
    return value
  }

  /// Reads a Boolean value from a variant; `nil` if the next value has another type.
  func flagInVariant() -> Bool? {
    var value: Int32 = 0
    guard enter("v", "b"), library.sd_bus_message_read_basic(message, Self.type("b"), &value) > 0, leave()
    else { return nil }
    return value != 0
  }
}
