import Foundation

/// The shares of time in traced pairings, from the instants that both nodes log at level `trace`.
///
/// Both nodes log instants of the boot clock after the pairing, so logging takes none of its time.
/// Each microsecond between the entered code and the end on both sides counts once, for the first
/// of these:
/// - a commit or a write of the key file on either side
/// - work on keys and frames on either side
/// - the local API, before the joiner's node has the code and after both have ended the pairing
/// - the network, while the joiner connects or both wait for a frame, including the wake-ups
/// - the rest: the way from one step to the next inside the nodes (tasks, actors, reading the
///   database)
struct StepShares {
  enum Share: String, CaseIterable {
    case commit = "commits and key file, with fsync"
    case handshake = "handshake and signatures"
    case network = "network (loopback)"
    case dispatch = "between the steps, inside the nodes"
    case interface = "local API"
  }

  private struct Step {
    var kind: String
    var began: Int64
    var ended: Int64
  }

  private struct Line: Decodable {
    var message: String
    var metadata: [String: String]
  }

  private var microseconds: [Share: Int64] = [:]
  private var runs = 0

  /// Returns the mean time of one kind for a pairing, in milliseconds.
  func mean(_ share: Share) -> Double { Double(microseconds[share] ?? 0) / Double(max(1, runs)) / 1_000 }

  /// Returns the share of one kind, in percent.
  func percent(_ share: Share) -> Double {
    let all = microseconds.values.reduce(0, +)
    return all == 0 ? 0 : 100 * Double(microseconds[share] ?? 0) / Double(all)
  }

  /// Adds one pairing.
  mutating func add(_ times: PairingRun.Times, inviterLog: String, joinerLog: String) throws {
    let inviter = Self.steps(inviterLog, within: times)
    let joiner = Self.steps(joinerLog, within: times)
    guard let first = joiner.filter({ $0.kind == "entered" }).map(\.began).min(),
      let last = (inviter + joiner).filter({ $0.kind == "ended" }).map(\.began).max()
    else { throw BenchFault("A node logged no steps: is `latchkey` of the same version?") }
    let edges = Set((inviter + joiner).flatMap { [$0.began, $0.ended] } + [times.began, times.ended, first, last])
      .filter { (times.began...times.ended).contains($0) }.sorted()
    for (begin, end) in zip(edges, edges.dropFirst()) {
      func kinds(_ steps: [Step]) -> Set<String> {
        Set(steps.filter { $0.began <= begin && $0.ended >= end }.map(\.kind))
      }
      let (ours, theirs) = (kinds(inviter), kinds(joiner))
      let both = ours.union(theirs)
      let share: Share =
        if both.contains(where: Self.isCommit) { .commit } else if both.contains("handshake") {
          .handshake
        } else if begin
          < first || begin >= last
        { .interface } else if theirs.contains("connect") || (theirs.contains("frame") && ours.contains("frame")) {
          .network
        } else { .dispatch }
      microseconds[share, default: 0] += end - begin
    }
    runs += 1
  }

  private static func isCommit(_ kind: String) -> Bool { kind == "commit" || kind == "key-file" }

  private static func steps(_ log: String, within times: PairingRun.Times) -> [Step] {
    log.split(separator: "\n").compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
      .filter { $0.message == "steps of a pairing" }.flatMap { ($0.metadata["steps"] ?? "").split(separator: ",") }
      .compactMap { text in
        let words = text.split(separator: " ")
        guard words.count == 3, let began = Int64(words[1]), let length = Int64(words[2]) else { return nil }
        return Step(kind: String(words[0]), began: began, ended: began + length)
      }
      .filter { $0.ended >= times.began && $0.began <= times.ended }
  }
}
