import Glibc
import LatchkeyModel

/// The functions of libmosquitto that a bridge uses, looked up when it starts.
///
/// The library is loaded and not linked, so that Latchkey can be installed without it.
struct MosquittoLibrary: Sendable {
  typealias Handle = OpaquePointer
  typealias Text = UnsafePointer<CChar>
  typealias Object = UnsafeMutableRawPointer
  typealias NumberCallback = @convention(c) (Handle?, Object?, CInt) -> Void
  typealias MessageCallback = @convention(c) (Handle?, Object?, UnsafeRawPointer?) -> Void
  typealias LogCallback = @convention(c) (Handle?, Object?, CInt, Text?) -> Void

  let create: @convention(c) (Text?, Bool, Object?) -> Handle?
  let destroy: @convention(c) (Handle?) -> Void
  let setThreaded: @convention(c) (Handle?, Bool) -> CInt
  let setPassword: @convention(c) (Handle?, Text?, Text?) -> CInt
  let setWill: @convention(c) (Handle?, Text?, CInt, UnsafeRawPointer?, CInt, Bool) -> CInt
  let setAuthorities: @convention(c) (Handle?, Text?, Text?, Text?, Text?, UnsafeRawPointer?) -> CInt
  let setTLS: @convention(c) (Handle?, CInt, Text?, Text?) -> CInt
  let connect: @convention(c) (Handle?, Text?, CInt, CInt) -> CInt
  let disconnect: @convention(c) (Handle?) -> CInt
  let loop: @convention(c) (Handle?, CInt, CInt) -> CInt
  let publish: @convention(c) (Handle?, UnsafeMutablePointer<CInt>?, Text?, CInt, UnsafeRawPointer?, CInt, Bool) -> CInt
  let subscribe: @convention(c) (Handle?, UnsafeMutablePointer<CInt>?, Text?, CInt) -> CInt
  let onConnect: @convention(c) (Handle?, NumberCallback?) -> Void
  let onPublish: @convention(c) (Handle?, NumberCallback?) -> Void
  let onMessage: @convention(c) (Handle?, MessageCallback?) -> Void
  let onLog: @convention(c) (Handle?, LogCallback?) -> Void
  private let words: @convention(c) (CInt) -> Text?

  /// The library, loaded for the life of the process; `nil` if it is not installed.
  static let shared = try? MosquittoLibrary()

  private struct Absent: Error {}

  private init() throws {
    let library = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL)
    func find<Function>(_ name: String) throws -> Function {
      guard let library, let symbol = dlsym(library, "mosquitto_" + name) else { throw Absent() }
      return unsafeBitCast(symbol, to: Function.self)
    }
    let begin: @convention(c) () -> CInt = try find("lib_init")
    guard begin() == 0 else { throw Absent() }
    (create, destroy, setThreaded) = (try find("new"), try find("destroy"), try find("threaded_set"))
    (setPassword, setWill) = (try find("username_pw_set"), try find("will_set"))
    (setAuthorities, setTLS) = (try find("tls_set"), try find("tls_opts_set"))
    (connect, disconnect, loop) = (try find("connect"), try find("disconnect"), try find("loop"))
    (publish, subscribe, words) = (try find("publish"), try find("subscribe"), try find("strerror"))
    (onConnect, onPublish) = (try find("connect_callback_set"), try find("publish_callback_set"))
    (onMessage, onLog) = (try find("message_callback_set"), try find("log_callback_set"))
  }

  /// Returns the library's words for one of its result codes.
  func text(_ code: CInt) -> String { words(code).map { String(cString: $0) } ?? "error \(code)" }
}

extension MosquittoLibrary {
  /// The library's result codes that the bridge distinguishes.
  enum Code {
    static let success: CInt = 0
    static let notConnected: CInt = 4
    static let lost: CInt = 7
    static let tls: CInt = 8
    static let system: CInt = 14
    static let unknownHost: CInt = 15
    static let keepAlive: CInt = 19
  }

  /// Returns the message at the pointer that a callback gets.
  ///
  /// The layout of `struct mosquitto_message` is part of the library's binary interface: mid,
  /// topic, payload, its length, QoS, and whether the broker had retained it.
  static func message(at pointer: UnsafeRawPointer) -> MQTTMessage? {
    guard let topic = pointer.load(fromByteOffset: 8, as: Text?.self) else { return nil }
    let payload = pointer.load(fromByteOffset: 16, as: UnsafeRawPointer?.self)
    let count = Int(pointer.load(fromByteOffset: 24, as: CInt.self))
    return MQTTMessage(
      topic: String(cString: topic), payload: Array(UnsafeRawBufferPointer(start: payload, count: max(0, count))),
      isRetained: pointer.load(fromByteOffset: 32, as: Bool.self))
  }
}

/// A message on a topic that the bridge subscribes to.
struct MQTTMessage: Hashable, Sendable {
  var topic: String
  var payload: [UInt8]
  /// A Boolean value that indicates whether the broker had retained the message before the
  /// subscription.
  var isRetained: Bool
}

/// The broker that a bridge connects to.
struct MQTTServer: Hashable, Sendable {
  var host: String
  var port: UInt16
  var username: String?
  var password: String?
  /// The file of authorities that may have signed the broker's certificate; `nil` for the system's
  /// authorities.
  var authorities: String?
  var isEncrypted: Bool
}

/// A reason why there is no connection to the broker.
enum MQTTFault: Error, Hashable, Sendable {
  case noLibrary
  case unknownHost
  /// No connection could be made.
  ///
  /// The text is the system's.
  case unreachable(String)
  /// The broker's certificate is not accepted.
  ///
  /// The text is the TLS library's.
  case certificate(String)
  /// The encrypted connection failed for another reason.
  case encryption(String)
  case password
  /// The broker refused the connection for another reason.
  case refused(String)
  case silent
  case lost
  /// A message was not confirmed in time.
  case unconfirmed
  /// More messages arrived than may wait.
  case flood
  /// The broker accepted the connection, but hides topics that the bridge has to read.
  case unreadable
  case failed(String)

  /// Returns the fault as one sentence with the next step.
  func sentence(_ server: MQTTServer) -> String {
    let place = "the MQTT broker at \(server.host):\(server.port)"
    return switch self {
    case .noLibrary: "MQTT needs a library that is not installed: run `apt install libmosquitto1`."
    case .unknownHost: "No machine is called \(server.host): check the broker's name."
    case .unreachable(let why): "\(place.capitalizedFirst) cannot be reached (\(why)): check that it runs."
    case .certificate(let why):
      "The certificate of \(place) is not accepted (\(why)): give the file of the authority that signed it, with "
        + "--ca, and the name in it as the server."
    case .encryption(let why):
      "\(place.capitalizedFirst) does not speak TLS 1.2 or later there (\(why)): check the port, often 8883."
    case .password:
      "\(place.capitalizedFirst) refused the user name or the password: set the receiver up again with the right "
        + "ones."
    case .refused(let why): "\(place.capitalizedFirst) refused the connection (\(why)): see its log."
    case .silent:
      "\(place.capitalizedFirst) does not answer: check the port, and that TLS is used where the broker wants it."
    case .lost: "The connection to \(place) was lost: check that the broker runs."
    case .unconfirmed:
      "\(place.capitalizedFirst) answers but does not confirm what Latchkey publishes: see its log, and whether its "
        + "disk is full."
    case .flood: "\(place.capitalizedFirst) sent more messages than Latchkey takes: find who publishes to latchkey/do."
    case .unreadable:
      "\(place.capitalizedFirst) does not let Latchkey read what it has written: allow its user to read and write "
        + "latchkey/# and to write homeassistant/device/#."
    case .failed(let why): "The connection to \(place) failed (\(why)): see the broker's log."
    }
  }
}

extension String {
  /// The text with its first letter in upper case.
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
