/// A counter of the mDNS messages that enter the bridges.
struct MulticastCounter {
  /// The counted packets.
  struct Count {
    var questions = 0
    var answers = 0
    /// With all headers but that of the frame.
    var bytes = 0
  }

  private let lab: LanLab

  /// Starts to count.
  init(_ lab: LanLab) async throws {
    self.lab = lab
    // The first bit of the flags tells answers from questions.
    try await lab.onWire(
      """
      nft add table bridge count
      nft add chain bridge count in '{ type filter hook prerouting priority 0; }'
      nft add rule bridge count in udp dport 5353 @th,80,1 0 counter
      nft add rule bridge count in udp dport 5353 @th,80,1 1 counter
      """)
  }

  /// Returns the packets since the start.
  func read() async throws -> Count {
    let rules = try await lab.onWire("nft list chain bridge count in").split(whereSeparator: \.isWhitespace)
    func numbers(_ word: String) -> [Int] {
      rules.indices.filter { rules[$0] == word && $0 + 1 < rules.endIndex }.compactMap { Int(rules[$0 + 1]) }
    }
    let packets = numbers("packets")
    guard packets.count == 2 else { throw LabFault("mDNS cannot be counted: \(rules.joined(separator: " "))") }
    return Count(questions: packets[0], answers: packets[1], bytes: numbers("bytes").reduce(0, +))
  }
}
