/// A TCP connection between two nodes: ordered in each direction, until it breaks.
final class Connection {
  let number: Int
  /// Microseconds that everything takes longer on this connection, by trouble.
  var extraDelay: Int64 = 0
  /// Whether nothing arrives any more, and nobody says so: half-open on both sides.
  var isGone = false
  private(set) var caller: Port?
  private(set) var callee: Port?
  /// Whether the callee has not proved its caller yet.
  var isUnproven = true
  /// Whether an eavesdropper said it all before.
  var isReplay = false
  /// The key that the callee answered with.
  var answeredKey: [UInt8]?
  /// The caller's first frames, as an eavesdropper keeps them.
  var overheard: [Frame] = []

  init(number: Int) {
    self.number = number
  }

  func connect(_ caller: SimulatedNode, _ callee: SimulatedNode) -> (caller: Port, callee: Port) {
    let ports = (Port(self, caller), Port(self, callee))
    (ports.0.other, ports.1.other) = (ports.1, ports.0)
    (self.caller, self.callee) = ports
    return ports
  }

  /// Both sides hear that it is over, in their own time.
  func reset() {
    caller?.abort()
    callee?.abort()
  }

  func forget() {
    for port in [caller, callee] { port?.forget() }
    (caller, callee) = (nil, nil)
  }
}
