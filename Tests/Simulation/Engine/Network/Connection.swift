/// A TCP connection between two nodes: ordered in each direction, until it breaks.
final class Connection {
  let number: Int
  /// The additional delay of everything on this connection, in microseconds.
  var extraDelay: Int64 = 0
  /// A Boolean value that indicates whether the connection is half-open on both sides, so that
  /// nothing arrives and no error is reported.
  var isGone = false
  private(set) var caller: Port?
  private(set) var callee: Port?
  /// A Boolean value that indicates whether the caller is not authenticated yet.
  var isUnproven = true
  /// A Boolean value that indicates whether an eavesdropper replays recorded frames.
  var isReplay = false
  /// The key that the callee answered with.
  var answeredKey: [UInt8]?
  /// The caller's first frames, as an eavesdropper records them.
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

  /// Ends the connection with an error, which each side notices at its own time.
  func reset() {
    caller?.abort()
    callee?.abort()
  }

  func forget() {
    for port in [caller, callee] { port?.forget() }
    (caller, callee) = (nil, nil)
  }
}
