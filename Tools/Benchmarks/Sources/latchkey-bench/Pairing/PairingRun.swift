import LatchkeyModel
import LatchkeyNode

/// One pairing of two running nodes, controlled like from the command lines of two people, with
/// `--yes` on both sides.
struct PairingRun {
  enum Code: String {
    case pasted
    case typed
  }

  let parent: NodeProcess
  let child: NodeProcess
  let code: Code
  /// The address of the inviter; `nil` to find the invitation over mDNS.
  let address: String?

  /// The times at which the child's node got the code and both sides reported the pairing, in
  /// microseconds of the boot clock.
  struct Times {
    var began: Int64
    var ended: Int64
    var microseconds: Int64 { ended - began }
  }

  /// Pairs the two nodes; `whenOpen` runs between the opening of the code and its entry.
  func run(whenOpen: (PairingProgress) async throws -> Void = { _ in }) async throws -> Times {
    let opened = try await parent.client.ask(Endpoints.invite, InviteRequest(acceptWithoutAsking: true))
    let text = code == .pasted ? opened.code : opened.typedCode
    guard let text else { throw BenchFault("The parent gave no code.") }
    let inviter = parent.client
    async let inviterEnded = Self.follow(inviter, opened)
    try await whenOpen(opened)
    let began = Durations.now()
    let joining = try await child.client.ask(Endpoints.join, JoinRequest(code: text, peer: address))
    let joinerEnded = try await Self.follow(child.client, joining)
    return Times(began: began, ended: max(try await inviterEnded, joinerEnded))
  }

  /// Waits for the end like a command line, and returns its time.
  private static func follow(_ node: any NodeInterface, _ first: PairingProgress) async throws -> Int64 {
    var progress = first
    while progress.phase != .ended {
      progress = try await node.ask(Endpoints.waitForPairing, (progress.pairingID, progress.change))
    }
    let moment = Durations.now()
    guard progress.outcome == .ok else {
      throw BenchFault("A pairing failed: \(progress.sentence ?? "no reason given")")
    }
    return moment
  }
}
