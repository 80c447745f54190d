import Foundation
import LatchkeyControl
import LatchkeyDoctor
import LatchkeyModel

/// What an examination begins with: what the node says.
struct DoctorRequest: Sendable {
  var node: NodeFacts
  /// The device that the way to is examined.
  var peer: PeerStatus?
  /// Times that arrived from other machines.
  var stamps: [ClockFacts.Stamp]
  /// Unix milliseconds.
  var now: Int64

  /// Look at the real machine.
  static func look(_ stateFolder: String, _ request: DoctorRequest) -> Facts {
    let machine: MachineFacts
    do {
      machine = try LocalNode.isOfThisMachine(path: stateFolder).map { $0 ? .same : .other } ?? .unknown
    } catch { machine = .unreadable }
    return Gatherer(stateFolder: stateFolder, environment: ProcessInfo.processInfo.environment).gather(
      node: request.node, machine: machine, peer: request.peer, now: request.now, stamps: request.stamps)
  }
}
