import LatchkeyModel

extension Path {
  fileprivate static let pairing = text("pairing", "The ID of a pairing.")
}

extension Query {
  fileprivate static let after = number("after", "The `change` that the caller has seen.", default: 0)
}

/// Pairing, as people do it; `PairingService` has the pairings.
///
/// Spec: Protocol/03-pairing.md.
extension Endpoints {
  static let pairingRoutes: [any ServedEndpoint] = [
    invite, join, getPairings, waitForInvitations, waitForPairing, answerPairing, cancelPairing,
  ]

  public static let invite = Endpoint(
    .post, "/v1/pairing/invitations", Body.json(InviteRequest.self),
    on: .parent("This is a child's machine, which joins: run `latchkey pair` here and on the parent's machine."),
    created: true, errors: [.limit], summary: "Opens a pairing code, on a parent. The answer alone has the code."
  ) { call, request in try await call.node.pairing.invite(request) }

  public static let join = Endpoint(
    .post, "/v1/pairing/joins", Body.json(JoinRequest.self), on: .child(LocalAPIError.joinOnParent.message),
    created: true, errors: [.typo, .limit], summary: "Joins with a pairing code, on a child."
  ) { call, request in try await call.node.pairing.join(request) }

  package static let getPairings = Endpoint(
    .get, "/v1/pairing", summary: "The open pairings, without their codes."
  ) { call in await call.node.pairing.allOpen() }

  public static let waitForInvitations = Endpoint(
    .get, "/v1/pairing/nearby", Query.after, waits: true,
    summary: "The open codes that other machines announce, once their `change` is above `after`."
  ) { call, change in
    let discovery = call.node.discovery
    await discovery.want(for: Call.longPoll)
    return try await call.once(within: Call.longPoll, discovery.changes) { _ in
      // A node that has just started begins at 1, so that the first question is answered at once.
      let seen = Int(clamping: discovery.changes.version) + 1
      let found = NearbyInvitations(change: seen, invitations: await discovery.invitations())
      return (found, seen > change)
    }
  }

  public static let waitForPairing = Endpoint(
    .get, "/v1/pairing/{pairing}", Path.pairing, Query.after, waits: true, errors: [.unknownPairing],
    summary: "A pairing, once its `change` is above `after`."
  ) { call, id, change in
    try await call.once(within: Call.longPoll) { call in
      let progress = try await call.node.pairing.progress(id)
      return (progress, progress.change > change || progress.phase == .ended)
    }
  }

  package static let answerPairing = Endpoint(
    .post, "/v1/pairing/{pairing}/answer", Path.pairing, Body.json(PairingAnswer.self),
    errors: [.unknownPairing, .tooLate], summary: "The person's yes or no to the question of a pairing."
  ) { call, id, answer in try await call.node.pairing.answer(id, answer) }

  public static let cancelPairing = Endpoint(
    .delete, "/v1/pairing/{pairing}", Path.pairing, waits: true, errors: [.unknownPairing, .tooLate],
    summary: "Breaks a pairing off. The answer is held back while it is undone, at most 20 s."
  ) { call, id in try await call.node.pairing.cancel(id) }
}

/// The answer to `GET /v1/pairing/nearby`: machines on the network that announce an open code.
///
/// It is a hint, since any machine can announce anything.
public struct NearbyInvitations: Hashable, Sendable, Codable {
  public struct Invitation: Hashable, Sendable, Codable {
    /// The first two symbols of its typed code.
    public var prefix: String
    /// The announcing machine's addresses as `host:port`, at most 64.
    public var addresses: [String]
  }

  /// A number that grows with each change; a request after it waits for the next one.
  public var change: Int
  /// The open codes, in the order of their prefixes.
  public var invitations: [Invitation]

  package static func none(after change: Int) -> NearbyInvitations {
    NearbyInvitations(change: change, invitations: [])
  }
}
