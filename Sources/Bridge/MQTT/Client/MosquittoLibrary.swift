import Glibc

/// The functions of libmosquitto that are used, found in the library when a bridge starts.
///
/// The library is loaded and not linked, so that Latchkey can be installed without it.
struct MosquittoLibrary: Sendable {
  typealias Handle = OpaquePointer
  typealias Text = UnsafePointer<CChar>
  typealias Object = UnsafeMutableRawPointer
  typealias ConnectCallback = @convention(c) (Handle?, Object?, CInt) -> Void
  typealias PublishCallback = @convention(c) (Handle?, Object?, CInt) -> Void
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
  let onConnect: @convention(c) (Handle?, ConnectCallback?) -> Void
  let onPublish: @convention(c) (Handle?, PublishCallback?) -> Void
  let onMessage: @convention(c) (Handle?, MessageCallback?) -> Void
  let onLog: @convention(c) (Handle?, LogCallback?) -> Void
  private let words: @convention(c) (CInt) -> Text?

  /// The library, loaded for the life of the process; `nil` if it is not installed.
  static let shared = MosquittoLibrary()

  private init?() {
    guard let library = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL) else { return nil }
    func find<Function>(_ name: String, as type: Function.Type) -> Function? {
      dlsym(library, "mosquitto_" + name).map { unsafeBitCast($0, to: type) }
    }
    typealias Begin = @convention(c) () -> CInt
    typealias Words = @convention(c) (CInt) -> Text?
    guard let begin = find("lib_init", as: Begin.self), begin() == 0,
      let create = find("new", as: (@convention(c) (Text?, Bool, Object?) -> Handle?).self),
      let destroy = find("destroy", as: (@convention(c) (Handle?) -> Void).self),
      let setThreaded = find("threaded_set", as: (@convention(c) (Handle?, Bool) -> CInt).self),
      let setPassword = find("username_pw_set", as: (@convention(c) (Handle?, Text?, Text?) -> CInt).self),
      let setWill = find(
        "will_set", as: (@convention(c) (Handle?, Text?, CInt, UnsafeRawPointer?, CInt, Bool) -> CInt).self),
      let setAuthorities = find(
        "tls_set", as: (@convention(c) (Handle?, Text?, Text?, Text?, Text?, UnsafeRawPointer?) -> CInt).self),
      let setTLS = find("tls_opts_set", as: (@convention(c) (Handle?, CInt, Text?, Text?) -> CInt).self),
      let connect = find("connect", as: (@convention(c) (Handle?, Text?, CInt, CInt) -> CInt).self),
      let disconnect = find("disconnect", as: (@convention(c) (Handle?) -> CInt).self),
      let loop = find("loop", as: (@convention(c) (Handle?, CInt, CInt) -> CInt).self),
      let publish = find(
        "publish",
        as: (@convention(c) (Handle?, UnsafeMutablePointer<CInt>?, Text?, CInt, UnsafeRawPointer?, CInt, Bool) -> CInt)
          .self),
      let subscribe = find(
        "subscribe", as: (@convention(c) (Handle?, UnsafeMutablePointer<CInt>?, Text?, CInt) -> CInt).self),
      let onConnect = find("connect_callback_set", as: (@convention(c) (Handle?, ConnectCallback?) -> Void).self),
      let onPublish = find("publish_callback_set", as: (@convention(c) (Handle?, PublishCallback?) -> Void).self),
      let onMessage = find("message_callback_set", as: (@convention(c) (Handle?, MessageCallback?) -> Void).self),
      let onLog = find("log_callback_set", as: (@convention(c) (Handle?, LogCallback?) -> Void).self),
      let words = find("strerror", as: Words.self)
    else { return nil }
    (self.create, self.destroy, self.setThreaded, self.setPassword) = (create, destroy, setThreaded, setPassword)
    (self.setWill, self.setAuthorities, self.setTLS) = (setWill, setAuthorities, setTLS)
    (self.connect, self.disconnect, self.loop) = (connect, disconnect, loop)
    (self.publish, self.subscribe, self.words) = (publish, subscribe, words)
    (self.onConnect, self.onPublish, self.onMessage, self.onLog) = (onConnect, onPublish, onMessage, onLog)
  }

  /// Returns the library's words for one of its result codes.
  func text(_ code: CInt) -> String { words(code).map { String(cString: $0) } ?? "error \(code)" }
}

extension MosquittoLibrary {
  /// The library's result codes that are told apart.
  enum Code {
    static let success: CInt = 0
    static let notConnected: CInt = 4
    static let refused: CInt = 5
    static let lost: CInt = 7
    static let tls: CInt = 8
    static let system: CInt = 14
    static let unknownHost: CInt = 15
    static let keepAlive: CInt = 19
  }

  /// Returns the message behind the pointer that a callback gets.
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

/// A message of a topic that the bridge subscribes to.
struct MQTTMessage: Hashable, Sendable {
  var topic: String
  var payload: [UInt8]
  /// A Boolean value that indicates whether the broker had kept it from before the subscription.
  var isRetained: Bool
}
