import GRDB
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessLab {
  /// Opens a code at a parent.
  func invite(_ parent: NodeProcess, asks: Bool = false) async throws -> Invitation {
    let opened = try await parent.api.ask(Endpoints.invite, InviteRequest(acceptWithoutAsking: !asks))
    guard let pasted = opened.code, let typed = opened.typedCode else { throw LabFault("no code: \(opened)") }
    return Invitation(id: opened.pairingID, pasted: pasted, typed: typed)
  }

  /// Waits until a pairing of a node reaches a phase or ends.
  func follow(
    _ id: String, at node: NodeProcess, until isThere: (PairingProgress) -> Bool
  ) async throws -> PairingProgress {
    let api = try await node.api
    var progress = try await api.ask(Endpoints.waitForPairing, (id, 0))
    while !isThere(progress), progress.phase != .ended {
      progress = try await api.ask(Endpoints.waitForPairing, (id, progress.change))
    }
    return progress
  }

  /// Waits until the person at a node is asked.
  func asked(_ id: String, at node: NodeProcess) async throws -> PairingProgress {
    try await follow(id, at: node) { $0.phase == .asking && $0.digits != nil }
  }

  /// Answers the question and follows the pairing to its end.
  func answer(_ progress: PairingProgress, at node: NodeProcess, yes: Bool) async throws {
    _ = try await node.api.ask(
      Endpoints.answerPairing, (progress.pairingID, PairingAnswer(accept: yes, attempt: progress.attempt)))
  }

  /// Expects that neither node holds anything of a pairing: neither in force nor half made.
  ///
  /// Both are stopped for it.
  func expectNothingHalfDone(
    _ nodes: [NodeProcess], _ note: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for node in nodes {
      _ = await node.terminate()
      let rows = try node.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM peer") }
      #expect(rows == 0, "\(node.name) \(note)", sourceLocation: sourceLocation)
      let secrets = try node.read { database in
        try Int.fetchOne(
          database,
          sql: """
            SELECT COUNT(*) FROM invitation
            WHERE outcome IS NOT NULL AND (length(typed_secret) > 0 OR secret <> zeroblob(16))
            """)
      }
      #expect(secrets == 0, "\(node.name) \(note)", sourceLocation: sourceLocation)
    }
  }
}
