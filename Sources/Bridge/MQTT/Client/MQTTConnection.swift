import Glibc
import LatchkeySystem
import Synchronization

/// One connection to a broker, from the attempt to its end, on a thread of its own.
///
/// The thread sleeps in the library until a message arrives, a message is to be sent, or a
/// keep-alive message is due. Nothing is queued without a connection: a new one begins with nothing
/// of an earlier one.
final class MQTTConnection: Sendable {
  /// An event on a connection.
  ///
  /// Events arrive in order, and their stream ends with the connection.
  enum Event: Sendable {
    case connected
    case message(MQTTMessage)
  }

  /// The time without traffic after which a keep-alive message is sent, in seconds.
  private static let keepAliveSeconds: CInt = 60
  /// The largest number of rounds, of a tenth of a second each, for sending the farewell.
  private static let leaveRounds = 10
  /// The time in which a broker must accept a connection, in seconds.
  private static let acceptSeconds = 20
  /// The largest number of events that wait for the reader.
  private static let mostEvents = 1_024
  /// The largest size of a message in bytes.
  ///
  /// Longer messages are ignored.
  private static let mostBytes = 4_096

  private struct State {
    var isConnected = false
    var fault: MQTTFault?
    /// The callers that wait for the broker to confirm a message, by the library's number of it.
    var waiting: [CInt: (ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = [:]
    /// The time at which each unconfirmed message was sent, by its ticket.
    var sent: [Int: Int] = [:]
    var lastTicket = 0
    /// The numbers that were confirmed before a caller waited for them.
    var confirmed: Set<CInt> = []
    var hasEnded = false
  }

  let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  private let library: MosquittoLibrary
  private let server: MQTTServer
  private let confirmSeconds: Int
  /// The library's object; `nil` once it is destroyed.
  ///
  /// Callbacks never take this lock: a call that holds it may wait for the library's own locks.
  private let handle = Mutex<Handle?>(nil)
  private let isClosing = Atomic(false)
  private let state = Mutex(State())
  /// The last error that the library logged.
  private let logged = Mutex<String?>(nil)

  /// A pointer to the library's object.
  ///
  /// It may cross threads although a pointer is not `Sendable`. `mosquitto_threaded_set` tells the
  /// library that several threads use the object, so that the library takes its own locks.
  private struct Handle: @unchecked Sendable { let pointer: MosquittoLibrary.Handle }

  /// Starts to connect as a client with a name.
  ///
  /// The broker ends an earlier connection of that name.
  ///
  /// The broker publishes the will, retained, once the connection is lost. It must confirm each
  /// message within `confirmSeconds`.
  ///
  /// - Throws: `MQTTFault` if the library is not installed, or does not accept the settings.
  init(
    _ server: MQTTServer, name: String, will: (topic: String, payload: String)?, confirmSeconds: Int = 30
  ) throws(MQTTFault) {
    guard let library = MosquittoLibrary.shared else { throw .noLibrary }
    (self.library, self.server, self.confirmSeconds) = (library, server, confirmSeconds)
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostEvents))
    let object = Unmanaged.passUnretained(self).toOpaque()
    guard let made = library.create(name, true, object) else { throw .failed("no memory") }
    handle.withLock { [made = Handle(pointer: made)] in $0 = made }
    do throws(MQTTFault) {
      try prepare(made, will)
      guard DetachedThread.start(stack: 256 << 10, { self.run() }) else { throw .failed("no memory") }
    } catch {
      handle.withLock { $0 = nil }
      library.destroy(made)
      throw error
    }
  }

  deinit { continuation.finish() }

  private func prepare(_ made: MosquittoLibrary.Handle, _ will: (topic: String, payload: String)?) throws(MQTTFault) {
    func check(_ code: CInt) throws(MQTTFault) {
      if code != MosquittoLibrary.Code.success { throw .failed(library.text(code)) }
    }
    try check(library.setThreaded(made, true))
    if let will { try check(library.setWill(made, will.topic, CInt(will.payload.utf8.count), will.payload, 1, true)) }
    if let username = server.username { try check(library.setPassword(made, username, server.password)) }
    if server.isEncrypted {
      let code =
        if let file = server.authorities {
          library.setAuthorities(made, file, nil, nil, nil, nil)
        } else {
          library.setAuthorities(made, nil, "/etc/ssl/certs", nil, nil, nil)
        }
      guard code == MosquittoLibrary.Code.success else {
        throw .certificate("the file with certificates cannot be read")
      }
      // Checks the broker's certificate, and permits TLS 1.2 or later.
      try check(library.setTLS(made, 1, "tlsv1.2", nil))
    }
    library.onConnect(made) { _, object, code in MQTTConnection.of(object)?.accepted(code) }
    library.onPublish(made) { _, object, number in MQTTConnection.of(object)?.confirmed(number) }
    library.onMessage(made) { _, object, message in
      guard let message else { return }
      MQTTConnection.of(object)?.received(message)
    }
    library.onLog(made) { _, object, level, text in
      // Only errors are kept. The other levels log each message.
      guard level == 8, let text else { return }
      MQTTConnection.of(object)?.logged.withLock { [text = String(cString: text)] in $0 = text }
    }
  }

  private static func of(_ object: UnsafeMutableRawPointer?) -> MQTTConnection? {
    object.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
  }
}

// MARK: - The reader's side

extension MQTTConnection {
  /// The fault that ended the connection; `nil` if it was closed, or has not ended.
  var fault: MQTTFault? { state.withLock { $0.fault } }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Publishes a message and waits until the broker has confirmed it.
  ///
  /// If the broker does not confirm it in time, the connection ends.
  ///
  /// - Returns: Whether it was confirmed; `false` once the connection has ended.
  func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool) async -> Bool {
    // The time is noted before the library wakes the thread, so that the thread sleeps no longer
    // than the broker may take.
    let now = clock()
    let ticket: Int? = state.withLock { state in
      guard state.isConnected, !state.hasEnded else { return nil }
      state.lastTicket += 1
      state.sent[state.lastTicket] = now
      return state.lastTicket
    }
    guard let ticket else { return false }
    defer { state.withLock { _ = $0.sent.removeValue(forKey: ticket) } }
    let number: CInt? = handle.withLock { handle in
      var number: CInt = 0
      let code = library.publish(handle?.pointer, &number, topic, CInt(payload.count), payload, 1, isRetained)
      return handle != nil && code == MosquittoLibrary.Code.success ? number : nil
    }
    guard let number else { return false }
    return await withCheckedContinuation { continuation in
      let isConfirmed: Bool? = state.withLock { state in
        if state.confirmed.remove(number) != nil { return true }
        if state.hasEnded { return false }
        state.waiting[number] = (ticket, continuation)
        return nil
      }
      if let isConfirmed { continuation.resume(returning: isConfirmed) }
    }
  }

  func subscribe(_ filter: String) {
    handle.withLock { handle in if let handle { _ = library.subscribe(handle.pointer, nil, filter, 1) } }
  }

  /// Ends the connection; the broker does not publish the will.
  func close() { end(nil) }

  func end(_ fault: MQTTFault?) {
    if let fault { note(fault) }
    isClosing.store(true, ordering: .relaxed)
    handle.withLock { handle in if let handle { _ = library.disconnect(handle.pointer) } }
  }
}

// MARK: - The thread's side

extension MQTTConnection {
  /// Keeps why the connection ends: the first reason counts.
  private func note(_ fault: MQTTFault) { state.withLock { $0.fault = $0.fault ?? fault } }

  private func run() {
    guard let made = handle.withLock({ $0 }) else { return }
    errno = 0
    var code = library.connect(made.pointer, server.host, CInt(server.port), Self.keepAliveSeconds)
    var reason = errno
    let began = clock()
    while code == MosquittoLibrary.Code.success {
      let isConnected = state.withLock { $0.isConnected }
      if isClosing.load(ordering: .relaxed) { break }
      if !isConnected, clock() - began > Self.acceptSeconds {
        note(.silent)
        break
      }
      var seconds = isConnected ? Int(Self.keepAliveSeconds) : 1
      if let first = state.withLock({ $0.sent.values.min() }) {
        let rest = first + confirmSeconds - clock()
        if rest < 0 {
          note(.unconfirmed)
          break
        }
        seconds = min(seconds, rest + 1)
      }
      // The library wakes earlier if a keep-alive message is due.
      errno = 0
      code = library.loop(made.pointer, CInt(seconds) * 1_000, 1)
      reason = errno
    }
    if code == MosquittoLibrary.Code.success {
      // The farewell is only queued. The loop ends once it is written.
      _ = library.disconnect(made.pointer)
      for _ in 0..<Self.leaveRounds where library.loop(made.pointer, 100, 1) != MosquittoLibrary.Code.success { break }
    }
    handle.withLock { $0 = nil }
    library.destroy(made.pointer)
    finish(code, reason)
  }

  /// Returns the boot clock in seconds.
  private func clock() -> Int { Int(SystemClock.boot.milliseconds / 1_000) }

  private func finish(_ code: CInt, _ reason: CInt) {
    let error = logged.withLock { $0 }
    let waiting = state.withLock { state in
      if state.fault == nil, code != MosquittoLibrary.Code.success, !isClosing.load(ordering: .relaxed) {
        state.fault = fault(code, reason, error, wasConnected: state.isConnected)
      }
      state.hasEnded = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for waiter in waiting.values { waiter.continuation.resume(returning: false) }
    continuation.finish()
  }

  private func fault(_ code: CInt, _ reason: CInt, _ error: String?, wasConnected: Bool) -> MQTTFault {
    typealias Code = MosquittoLibrary.Code
    if let error, error.contains("certificate") || error.contains("host name") {
      return .certificate(error.contains("host name") ? "it is for another name" : Self.last(error))
    }
    switch code {
    case Code.unknownHost: return .unknownHost
    case Code.tls: return .encryption(error.map(Self.last) ?? library.text(code))
    case Code.system where !wasConnected: return .unreachable(String(cString: strerror(reason)))
    // A broker without TLS hangs up at once if the client speaks TLS.
    case Code.lost where !wasConnected && server.isEncrypted: return .encryption("it hung up")
    case Code.lost, Code.notConnected, Code.keepAlive, Code.system: return wasConnected ? .lost : .silent
    default: return .failed(library.text(code))
    }
  }

  /// Returns the last part of an OpenSSL error, whose parts have colons between them.
  private static func last(_ error: String) -> String {
    error.split(separator: ":").last.map { $0.trimmingPrefix(while: { $0 == " " }) }.map(String.init) ?? error
  }

  private func accepted(_ code: CInt) {
    guard code == 0 else {
      switch code {
      case 4, 5: note(.password)
      case 1: note(.refused("it does not speak MQTT 3.1.1"))
      case 2: note(.refused("it does not take the client's name"))
      default: note(.refused("it is not available"))
      }
      return
    }
    state.withLock { $0.isConnected = true }
    continuation.yield(.connected)
  }

  private func confirmed(_ number: CInt) {
    let waiting = state.withLock { state in
      let waiting = state.waiting.removeValue(forKey: number)
      if let waiting { state.sent[waiting.ticket] = nil } else { state.confirmed.insert(number) }
      return waiting?.continuation
    }
    waiting?.resume(returning: true)
  }

  private func received(_ pointer: UnsafeRawPointer) {
    guard let message = MosquittoLibrary.message(at: pointer), message.payload.count <= Self.mostBytes else { return }
    if case .dropped = continuation.yield(.message(message)) {
      note(.flood)
      isClosing.store(true, ordering: .relaxed)
    }
  }
}
