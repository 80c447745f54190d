/// One figure beside its yardstick.
struct BenchRow: Encodable, Sendable {
  var name: String
  var ours: Double
  /// The value of the other program for the same task, in the same run.
  var peer: Double?
  var unit: String
  /// The promised value, in words.
  var target: String?
  var met: Bool?

  /// The ratio of our value to the peer's.
  var ratio: Double? { peer.flatMap { $0 > 0 ? ours / $0 : nil } }

  init(_ name: String, _ ours: Double, _ unit: String, peer: Double? = nil, target: String? = nil, met: Bool? = nil) {
    self.name = name
    self.ours = ours
    self.peer = peer
    self.unit = unit
    self.target = target
    self.met = met
  }

  private enum Key: String, CodingKey {
    case name, ours, peer, unit, ratio, target, met
  }

  /// Encodes every key, with null for missing values.
  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(name, forKey: .name)
    try values.encode(ours, forKey: .ours)
    try values.encode(peer, forKey: .peer)
    try values.encode(unit, forKey: .unit)
    try values.encode(ratio, forKey: .ratio)
    try values.encode(target, forKey: .target)
    try values.encode(met, forKey: .met)
  }
}
