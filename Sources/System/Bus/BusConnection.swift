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

  /// The bus, kept alive by its own reference until this object is released.
  private let bus: OpaquePointer
  private var subscribers: [Subscriber] = []
  /// A Boolean value that indicates whether the connection can still be used.
  private(set) var isConnected = true
  /// Why the last call that returned `nil` did, in the service's own words.
  private(set) var refusal = ""

  /// Connects to the bus of an address; `nil` if none answers in time.
  init?(address: String, within milliseconds: Int64) {
    var opened: OpaquePointer?
    guard sd_bus_new(&opened) >= 0, let bus = opened else { return nil }
    self.bus = bus
    guard sd_bus_set_address(bus, address) >= 0, sd_bus_set_bus_client(bus, 1) >= 0, sd_bus_start(bus) >= 0,
      becomesReady(Deadline(milliseconds))
    else {
      isConnected = false
      return nil
    }
  }

  deinit {
    sd_bus_close(bus)
    sd_bus_unref(bus)
  }

  /// The descriptor, which can be polled for messages to process.
  var descriptor: Int32 { isConnected ? sd_bus_get_fd(bus) : -1 }

  /// Gives up the connection, such as after an answer of the wrong form.
  func end() { isConnected = false }

  /// Waits until the bus has accepted this process.
  private func becomesReady(_ end: Deadline) -> Bool {
    while true {
      let result = sd_bus_process(bus, nil)
      guard result >= 0 else { return false }
      if sd_bus_is_ready(bus) > 0 { return true }
      guard end.milliseconds > 0 else { return false }
      if result == 0, sd_bus_wait(bus, UInt64(end.milliseconds) * 1_000) < 0, errno != EINTR { return false }
    }
  }

  /// Hands the messages that have arrived to their subscribers; returns `false` if the connection
  /// has ended.
  ///
  /// Call this before each wait for the descriptor, since a call may have received signals.
  func process() -> Bool {
    for _ in 0..<Self.mostMessages where isConnected {
      let result = sd_bus_process(bus, nil)
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
    return sd_bus_add_match_async(
      bus, nil, rule,
      { message, own, _ in
        guard let message, let own else { return 0 }
        Unmanaged<Subscriber>.fromOpaque(own).takeUnretainedValue().receive(BusMessage(sd_bus_message_ref(message)))
        return 0
      }, nil, Unmanaged.passUnretained(subscriber).toOpaque()) >= 0
  }

  /// Calls a method, and returns its answer; `nil` if it is refused or does not arrive in time.
  func call(
    _ method: Method, within limit: Deadline, _ fill: (BusMessage) -> Bool = { _ in true }
  ) -> BusMessage? {
    refusal = "the bus does not answer"
    guard isConnected, limit.milliseconds > 0 else { return nil }
    var made: OpaquePointer?
    guard
      sd_bus_message_new_method_call(bus, &made, method.service, method.path, method.interface, method.name) >= 0,
      let made
    else { return nil }
    let request = BusMessage(made)
    guard fill(request) else { return nil }
    var answer: OpaquePointer?
    var error = sd_bus_error()
    defer { sd_bus_error_free(&error) }
    let result = sd_bus_call(bus, request.message, UInt64(limit.milliseconds) * 1_000, &error, &answer)
    if [-ETIMEDOUT, -ECONNRESET, -ENOTCONN, -EPIPE].contains(result) { isConnected = false }
    if let words = error.message { refusal = String(cString: words) }
    guard result >= 0, let answer else { return nil }
    return BusMessage(answer)
  }
}
