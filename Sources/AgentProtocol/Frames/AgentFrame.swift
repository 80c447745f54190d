import LatchkeyModel

/// A message between a node and its agent (Protocol/13-agent.md §2).
public enum AgentFrame: Hashable, Sendable {
  /// The agent's greeting, which is its first frame.
  case hello(AgentHello)
  case welcome(NodeWelcome)
  /// The orders that the agent is to carry out from now on, which replace all earlier ones.
  case orders(AgentOrders)
  /// An event that the agent has seen or caused.
  case report(AgentReport)
  /// The number of the last report that the node has stored.
  case stored(UInt64)

  public static let version: UInt8 = 1
  /// The bytes before the body: `LA`, the version, the kind, and the body's size in four bytes.
  static let headerBytes = 8

  var kind: UInt8 {
    switch self {
    case .hello: 1
    case .welcome: 2
    case .orders: 3
    case .report: 4
    case .stored: 5
    }
  }

  /// Returns the largest body of a kind in bytes; `nil` if there is no such kind.
  static func maximumBytes(of kind: UInt8) -> Int? {
    switch kind {
    case 1: 128
    case 2: 16
    case 3: AgentOrders.maximumBytes
    case 4: 4_096
    case 5: 8
    default: nil
    }
  }

  /// The frame with its header.
  ///
  /// - Throws: `AgentFrameError.tooLong` for orders that are larger than permitted.
  public func bytes() throws(AgentFrameError) -> [UInt8] {
    let body = FieldWriter()
    let bytes =
      switch self {
      case .hello(let hello): body.value(hello).bytes
      case .welcome(let welcome): body.value(welcome).bytes
      case .orders(let orders): body.value(orders).bytes
      case .report(let report): body.value(report).bytes
      case .stored(let number): body.number64(number).bytes
      }
    if let most = Self.maximumBytes(of: kind), bytes.count > most { throw .tooLong(kind: kind, bytes: bytes.count) }
    let size = UInt32(truncatingIfNeeded: bytes.count)
    return FieldWriter().byte(0x4C).byte(0x41).byte(Self.version).byte(kind).number32(size).bytes + bytes
  }

  init(kind: UInt8, body: some Collection<UInt8>) throws(AgentFrameError) {
    var reader = FieldReader(body)
    switch kind {
    case 1: self = .hello(try AgentHello(from: &reader))
    case 2: self = .welcome(try NodeWelcome(from: &reader))
    case 3: self = .orders(try AgentOrders(from: &reader))
    case 4: self = .report(try AgentReport(from: &reader))
    case 5: self = .stored(try reader.number64())
    default: throw .kind(kind)
    }
    try reader.end()
  }
}

/// An assembler of frames from the bytes of a connection, in pieces of any size
/// (Protocol/13-agent.md §2).
public struct AgentFrameAssembler: Sendable {
  private var gathered: [UInt8] = []

  public init() {}

  public mutating func append(_ bytes: some Sequence<UInt8>) { gathered += bytes }

  /// Returns the next complete frame; `nil` if more bytes are needed.
  ///
  /// - Throws: `AgentFrameError` as soon as a header shows it. It is the other side's fault, and
  ///   the connection must be closed.
  public mutating func next() throws(AgentFrameError) -> AgentFrame? {
    let start: [UInt8] = [0x4C, 0x41]
    guard zip(gathered, start).allSatisfy({ $0 == $1 }) else { throw .foreign }
    guard gathered.count >= AgentFrame.headerBytes else { return nil }
    guard gathered[2] == AgentFrame.version else { throw .version(gathered[2]) }
    let kind = gathered[3]
    guard let most = AgentFrame.maximumBytes(of: kind) else { throw .kind(kind) }
    let size = gathered[4..<8].reduce(0) { $0 << 8 | Int($1) }
    guard size <= most else { throw .tooLong(kind: kind, bytes: size) }
    let end = AgentFrame.headerBytes + size
    guard gathered.count >= end else { return nil }
    defer { gathered.removeFirst(end) }
    return try AgentFrame(kind: kind, body: gathered[AgentFrame.headerBytes..<end])
  }
}

/// The fault of a frame between a node and its agent, or of an orders file.
///
/// The connection on which the frame arrived must be closed. Spec: Protocol/13-agent.md §2.
public enum AgentFrameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The first bytes do not begin a frame.
  case foreign
  /// The sender speaks another version.
  case version(UInt8)
  case kind(UInt8)
  case tooLong(kind: UInt8, bytes: Int)
  /// A body ends before its last field is complete.
  case short
  /// A body goes on after its last field.
  case trailing
  /// A field has an impossible value.
  case value(String)
  /// The checksum of an orders file does not match.
  case damaged

  /// One sentence with the fault and the next step.
  public var description: String {
    switch self {
    case .foreign: "Another program answers in the place of the agent: end it, then start Latchkey again."
    case .version(let version):
      "The other side speaks version \(version) of the agent's protocol: install the same version of latchkey and latchkey-agent."
    case .kind(let kind):
      "The frame has the unknown kind \(kind): install the same version of latchkey and latchkey-agent."
    case .tooLong(let kind, let bytes):
      "A frame of kind \(kind) with \(bytes) bytes is larger than permitted: have fewer applications with rules."
    case .short, .trailing: "A frame has a wrong size: install the same version of latchkey and latchkey-agent."
    case .value(let what):
      "A frame has an impossible value (\(what)): install the same version of latchkey and latchkey-agent."
    case .damaged: "The orders file is damaged: the last good one holds until the node sends new orders."
    }
  }
}

/// The agent's greeting: its identity, and what it can see and do (Protocol/13-agent.md §3).
public struct AgentHello: Hashable, Sendable, FrameValue {
  public var run: UInt64
  /// A Boolean value that indicates whether it is the system agent, not a single-user one.
  public var isSystem: Bool
  /// A Boolean value that indicates whether the kernel reports programs; else it scans each second.
  public var hasEvents: Bool
  /// A Boolean value that indicates whether it sees log-in sessions through logind.
  public var hasSessions: Bool
  /// A Boolean value that indicates whether it can read an input device of this machine.
  public var hasInput: Bool
  public var user: UInt32
  public var boot: String
  /// The number of the orders in force; `nil` if it has none.
  public var orders: UInt64?

  public init(
    run: UInt64, isSystem: Bool, hasEvents: Bool, hasSessions: Bool = false, hasInput: Bool = false, user: UInt32,
    boot: String, orders: UInt64?
  ) {
    (self.run, self.isSystem, self.hasEvents, self.hasSessions) = (run, isSystem, hasEvents, hasSessions)
    (self.hasInput, self.user, self.boot, self.orders) = (hasInput, user, boot, orders)
  }

  func write(to body: FieldWriter) -> FieldWriter {
    body.number64(run).flag(isSystem).flag(hasEvents).flag(hasSessions).flag(hasInput).number32(user).bootID(boot)
      .flag(orders != nil).number64(orders ?? 0)
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    run = try body.number64()
    isSystem = try body.flag("whether it is the system's")
    hasEvents = try body.flag("whether it has events")
    hasSessions = try body.flag("whether it sees sessions")
    hasInput = try body.flag("whether it sees input")
    user = try body.number32()
    boot = try body.bootID()
    let isHeld = try body.flag("whether it has orders")
    let number = try body.number64()
    guard isHeld || number == 0 else { throw .value("orders \(number) that are none") }
    orders = isHeld ? number : nil
  }
}

/// The node's answer to an agent's greeting (Protocol/13-agent.md §3).
public struct NodeWelcome: Hashable, Sendable, FrameValue {
  /// The run of the agent that sent the greeting.
  public var run: UInt64
  /// The number of the last report of that run that the node has stored; 0 if it knows of none.
  public var stored: UInt64

  public init(run: UInt64, stored: UInt64) { (self.run, self.stored) = (run, stored) }

  func write(to body: FieldWriter) -> FieldWriter { body.number64(run).number64(stored) }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    run = try body.number64()
    stored = try body.number64()
  }
}
