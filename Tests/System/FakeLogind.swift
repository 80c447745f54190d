import CSystemd
import Foundation
import Glibc
import LatchkeySystem
import Synchronization

/// A message bus of a test's own, with a program on it that answers as logind does.
final class FakeLogind: Sendable {
  private struct Content {
    var sessions: [LoginSession] = []
    var isSilent = false
    var asked: [String] = []
    var signals: [@Sendable (OpaquePointer) -> Void] = []
    var isStopped = false
    var hasEnded = false
  }

  /// The address of the bus.
  let address: String
  private let folder: String
  private let daemon: Process
  private let content = Mutex(Content())

  /// Starts the bus and the program; throws if there is no dbus-daemon.
  init() throws {
    folder = NSTemporaryDirectory() + "/bus-\(UInt64.random(in: 0 ..< .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    address = "unix:path=\(folder)/bus"
    let settings = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><type>system</type><listen>\(address)</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="false"/>
      <allow send_type="signal"/><allow receive_sender="*"/></policy></busconfig>
      """
    try settings.write(toFile: folder + "/bus.conf", atomically: true, encoding: .utf8)
    daemon = Process()
    daemon.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
    daemon.arguments = ["--config-file=\(folder)/bus.conf", "--nofork", "--nopidfile", "--print-address"]
    let output = Pipe()
    daemon.standardOutput = output
    daemon.standardError = FileHandle.nullDevice
    try daemon.run()
    // It listens from then on.
    _ = output.fileHandleForReading.availableData
    let ready = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [self] in work(ready) }
    ready.wait()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The sessions that it tells of from now on.
  var sessions: [LoginSession] {
    get { content.withLock { $0.sessions } }
    set { content.withLock { $0.sessions = newValue } }
  }

  /// The orders that it got.
  var asked: [String] { content.withLock { $0.asked } }

  /// Lets it answer nothing from now on.
  func fallSilent() { content.withLock { $0.isSilent = true } }

  /// Ends the bus.
  func endBus() {
    // It inherits the signals that threads of tests block, SIGTERM among them.
    kill(daemon.processIdentifier, SIGKILL)
    daemon.waitUntilExit()
  }

  /// Ends everything.
  func stop() {
    content.withLock { $0.isStopped = true }
    endBus()
    while !content.withLock({ $0.hasEnded }) { usleep(1_000) }
  }

  /// Leaves the bus, which goes on.
  func leave() {
    content.withLock { $0.isStopped = true }
    while !content.withLock({ $0.hasEnded }) { usleep(1_000) }
  }

  /// Sends the signal that a property of a session has changed.
  func tellOfChange(in session: String) {
    content.withLock {
      $0.signals.append { bus in
        var made: OpaquePointer?
        let path = "/org/freedesktop/login1/session/\(session)"
        guard
          sd_bus_message_new_signal(bus, &made, path, "org.freedesktop.DBus.Properties", "PropertiesChanged") >= 0
        else { return }
        Self.append(made, "s", "org.freedesktop.login1.Session")
        sd_bus_message_open_container(made, CChar(0x61), "{sv}")
        sd_bus_message_close_container(made)
        sd_bus_message_open_container(made, CChar(0x61), "s")
        sd_bus_message_close_container(made)
        sd_bus_send(bus, made, nil)
        sd_bus_message_unref(made)
      }
    }
  }

  // MARK: The program

  private func work(_ ready: DispatchSemaphore) {
    defer { content.withLock { $0.hasEnded = true } }
    var opened: OpaquePointer?
    guard sd_bus_new(&opened) >= 0, let bus = opened else { return }
    defer { sd_bus_unref(bus) }
    sd_bus_set_address(bus, address)
    sd_bus_set_bus_client(bus, 1)
    sd_bus_start(bus)
    let handler: sd_bus_message_handler_t = { message, own, _ in
      guard let message, let own else { return 0 }
      return Unmanaged<FakeLogind>.fromOpaque(own).takeUnretainedValue().answer(message)
    }
    let own = Unmanaged.passUnretained(self).toOpaque()
    sd_bus_add_fallback(bus, nil, "/org/freedesktop/login1", handler, own)
    sd_bus_request_name(bus, "org.freedesktop.login1", 0)
    ready.signal()
    while !content.withLock({ $0.isStopped }) {
      var result: Int32
      repeat { result = sd_bus_process(bus, nil) } while result > 0
      guard result == 0 else { break }
      let signals = content.withLock { content in
        defer { content.signals = [] }
        return content.signals
      }
      for signal in signals { signal(bus) }
      sd_bus_wait(bus, 10_000)
    }
    sd_bus_close(bus)
  }

  private func answer(_ message: OpaquePointer) -> Int32 {
    let (member, path) = (Self.text(sd_bus_message_get_member(message)), Self.text(sd_bus_message_get_path(message)))
    let (sessions, isSilent) = content.withLock { ($0.sessions, $0.isSilent) }
    if isSilent { return 1 }
    var reply: OpaquePointer?
    guard sd_bus_message_new_method_return(message, &reply) >= 0 else { return 0 }
    defer { sd_bus_message_unref(reply) }
    switch member {
    case "ListSessions":
      sd_bus_message_open_container(reply, CChar(0x61), "(susso)")
      for session in sessions {
        sd_bus_message_open_container(reply, CChar(0x72), "susso")
        Self.append(reply, "s", session.id)
        Self.append(reply, "u", session.user)
        Self.append(reply, "s", "user")
        Self.append(reply, "s", session.seat)
        Self.append(reply, "o", "/org/freedesktop/login1/session/\(session.id)")
        sd_bus_message_close_container(reply)
      }
      sd_bus_message_close_container(reply)
    case "GetAll":
      guard let session = sessions.first(where: { path.hasSuffix("/\($0.id)") }) else {
        return sd_bus_reply_method_errno(message, -ENOENT, nil)
      }
      sd_bus_message_open_container(reply, CChar(0x61), "{sv}")
      Self.property(reply, "Id", session.id)
      Self.property(reply, "Active", session.isActive)
      Self.property(reply, "State", session.state)
      Self.property(reply, "Class", session.sessionClass)
      Self.property(reply, "Type", session.type)
      Self.property(reply, "Remote", session.isRemote)
      Self.property(reply, "LockedHint", session.isLocked)
      sd_bus_message_close_container(reply)
    case "LockSession":
      var id: UnsafePointer<CChar>?
      sd_bus_message_read_basic(message, CChar(0x73), &id)
      content.withLock { $0.asked.append("lock \(Self.text(id))") }
    case "TerminateUser":
      var user: UInt32 = 0
      sd_bus_message_read_basic(message, CChar(0x75), &user)
      guard user != 0 else { return sd_bus_reply_method_errno(message, -EPERM, nil) }
      content.withLock { $0.asked.append("terminate \(user)") }
    default: return 0
    }
    sd_bus_send(nil, reply, nil)
    return 1
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }

  private static func append(_ message: OpaquePointer?, _ letter: Unicode.Scalar, _ text: String) {
    text.withCString { _ = sd_bus_message_append_basic(message, CChar(letter.value), $0) }
  }

  private static func append(_ message: OpaquePointer?, _ letter: Unicode.Scalar, _ number: UInt32) {
    var number = number
    sd_bus_message_append_basic(message, CChar(letter.value), &number)
  }

  private static func property(_ message: OpaquePointer?, _ name: String, _ value: String) {
    sd_bus_message_open_container(message, CChar(0x65), "sv")
    append(message, "s", name)
    sd_bus_message_open_container(message, CChar(0x76), "s")
    append(message, "s", value)
    sd_bus_message_close_container(message)
    sd_bus_message_close_container(message)
  }

  private static func property(_ message: OpaquePointer?, _ name: String, _ value: Bool) {
    sd_bus_message_open_container(message, CChar(0x65), "sv")
    append(message, "s", name)
    sd_bus_message_open_container(message, CChar(0x76), "b")
    append(message, "b", value ? 1 : 0)
    sd_bus_message_close_container(message)
    sd_bus_message_close_container(message)
  }
}
