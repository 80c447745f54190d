import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem

/// The node's connection, and the orders that it sends (Protocol/13-agent.md §3, §4).
extension AgentRunner {
  /// Accepts connecting nodes, and serves the last one.
  func accept() {
    // Bounded, so that many connections in a row do not delay the other work for long.
    for _ in 0..<16 {
      guard let socket = listener.accept() else { return }
      guard let peer = socket.peer, isNode(peer.user) else { continue }
      protected.connected(node: peer.process)
      prepareLooking()
      connection = NodeConnection(socket, peer)
      let hello = AgentHello(
        run: run, isSystem: settings.nodeUser != nil, hasEvents: eventsDescriptor >= 0,
        hasSessions: presence?.hasSessions ?? false, hasInput: presence?.hasInput ?? false, user: UInt32(geteuid()),
        boot: boot, orders: machine.ordersInForce)
      send(.hello(hello))
    }
  }

  private func isNode(_ user: UInt32) -> Bool {
    if let nodeUser = settings.nodeUser { return user == nodeUser || user == 0 }
    return user == geteuid()
  }

  /// Sends pending frames to the node, and handles the frames that it sent.
  func serve() {
    guard let connection else { return }
    guard connection.flush(), let frames = connection.receive() else {
      self.connection = nil
      return
    }
    for frame in frames {
      let now = present()
      switch frame {
      case .welcome(let welcome):
        connection.isWelcome = true
        perform(machine.connected(stored: welcome.run == run ? welcome.stored : 0, at: now), now)
        lookAtMissing()
      case .orders(let orders) where connection.isWelcome: take(orders, isKept: false)
      case .stored(let number) where connection.isWelcome: machine.stored(number)
      case .hello, .orders, .report, .stored:
        self.connection = nil
        return
      }
    }
  }

  func send(_ frame: AgentFrame) {
    guard let connection, !connection.send(frame) else { return }
    self.connection = nil
  }

  /// Puts orders in force, and writes them to the disk unless they were read from there.
  func take(_ orders: AgentOrders, isKept: Bool) {
    let now = present()
    // The orders are on disk before they have an effect. If that fails, they are enforced
    // nevertheless. Otherwise a full disk would spare a child.
    unkept = isKept || keep(orders) ? nil : orders
    var here = MatchersHere()
    let effects = machine.received(
      orders, boot: boot, isDurable: unkept == nil, at: now, here: { here.fault(of: $0, &looker.hashes) },
      exists: Self.isThere)
    accountsMark = SystemAccounts.mark()
    awaitsDigests = here.awaitsDigests
    prepareLooking()
    loadFiles()
    looker.forgetImages()
    perform(effects, now)
    if isKept { return }
    lookAtMissing()
    lookAtAll()
  }

  /// Returns whether the machine has the account that orders are for.
  ///
  /// The agent's own account exists even if no list names it, as in a container. If an account was
  /// deleted, another one may have its number.
  private static func isThere(_ orders: AccountOrders) -> Bool {
    guard let entry = SystemAccounts.entry(numbered: orders.account) else { return orders.account == geteuid() }
    if orders.name.isEmpty || entry.name == orders.name { return true }
    guard !orders.home.isEmpty, entry.home == orders.home, let home = ProcFile.status(entry.home) else { return false }
    return home.st_uid == orders.account
  }

  /// Checks which accounts the orders apply to, if the machine's accounts have changed.
  func lookAtAccounts() {
    guard let orders = machine.orders, SystemAccounts.mark() != accountsMark else { return }
    take(orders, isKept: unkept == nil)
  }

  /// Writes orders to the disk, and returns whether that succeeded.
  private func keep(_ orders: AgentOrders) -> Bool {
    guard let reason = store.keep(orders) else { return true }
    Self.say(reason)
    return false
  }

  /// Tries again to write orders that could not be written.
  func keepLate() {
    guard let orders = unkept, store.keep(orders) == nil else { return }
    unkept = nil
    let now = present()
    perform(machine.kept(at: now), now)
  }
}

/// The connection to the node, with the bytes that are queued for it.
final class NodeConnection {
  /// The most bytes that are queued; a node that does not read beyond that is disconnected.
  private static let mostWaiting = 8 << 20

  let socket: LocalSocket
  let peer: LocalSocket.Peer
  private var assembler = AgentFrameAssembler()
  private var waiting: [UInt8] = []
  /// A Boolean value that indicates whether the node has answered the greeting.
  var isWelcome = false

  init(_ socket: LocalSocket, _ peer: LocalSocket.Peer) { (self.socket, self.peer) = (socket, peer) }

  var hasWaiting: Bool { !waiting.isEmpty }

  /// Queues a frame, and sends it as soon as there is room; returns `false` if the connection must
  /// be closed.
  func send(_ frame: AgentFrame) -> Bool {
    guard let bytes = try? frame.bytes(), waiting.count + bytes.count <= Self.mostWaiting else { return false }
    waiting += bytes
    return flush()
  }

  /// Sends as many queued bytes as there is room for; returns `false` if the connection has ended.
  func flush() -> Bool {
    while !waiting.isEmpty {
      guard let count = socket.write(waiting[...]) else { return false }
      if count == 0 { return true }
      waiting.removeFirst(count)
    }
    return true
  }

  /// Returns the frames that have arrived; `nil` if the connection must be closed.
  func receive() -> [AgentFrame]? {
    guard let bytes = socket.read() else { return nil }
    assembler.append(bytes)
    var frames: [AgentFrame] = []
    do {
      while let frame = try assembler.next() { frames.append(frame) }
    } catch { return nil }
    return frames
  }
}
