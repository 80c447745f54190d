import LatchkeyModel

extension LocalRoute {
  /// The path and query that stand for this request.
  package var target: RequestTarget {
    switch self {
    case .status: RequestTarget(segments: ["v1", "status"])
    case .sync: RequestTarget(segments: ["v1", "sync"])
    case .syncNow(let device): RequestTarget(segments: ["v1", "sync"], query: Self.query(["device": device]))
    case .queue(let device, let streamClass, let limit):
      RequestTarget(
        segments: ["v1", "queue"],
        query: Self.query(["device": device, "class": streamClass?.word, "limit": String(limit)]))
    case .queueEntry(let device, let streamClass, let number):
      RequestTarget(segments: ["v1", "queue", device, streamClass.word, String(number)])
    case .devices: RequestTarget(segments: ["v1", "devices"])
    case .nearby: RequestTarget(segments: ["v1", "nearby"])
    case .unpair(let device): RequestTarget(segments: ["v1", "devices", device])
    case .forget(let device): RequestTarget(segments: ["v1", "devices", device, "forget"])
    case .release(let device): RequestTarget(segments: ["v1", "devices", device, "release"])
    case .invite: RequestTarget(segments: ["v1", "pairing", "invitations"])
    case .join: RequestTarget(segments: ["v1", "pairing", "joins"])
    case .pairings: RequestTarget(segments: ["v1", "pairing"])
    case .nearbyInvitations(let after):
      RequestTarget(segments: ["v1", "pairing", "nearby"], query: ["after": String(after)])
    case .pairing(let id, let after):
      RequestTarget(segments: ["v1", "pairing", id], query: ["after": String(after)])
    case .answerPairing(let id): RequestTarget(segments: ["v1", "pairing", id, "answer"])
    case .cancelPairing(let id): RequestTarget(segments: ["v1", "pairing", id])
    case .issue: RequestTarget(segments: ["v1", "commands"])
    case .commands(let device, let limit):
      RequestTarget(segments: ["v1", "commands"], query: Self.query(["device": device, "limit": String(limit)]))
    case .command(let id): RequestTarget(segments: ["v1", "commands", id])
    case .waitForCommand(let id): RequestTarget(segments: ["v1", "commands", id, "wait"])
    case .cancelCommand(let id): RequestTarget(segments: ["v1", "commands", id])
    case .markMessageRead(let id): RequestTarget(segments: ["v1", "messages", id, "read"])
    case .apps(let device): RequestTarget(segments: ["v1", "apps"], query: Self.query(["device": device]))
    case .settings: RequestTarget(segments: ["v1", "settings"])
    case .usage(let query):
      RequestTarget(
        segments: ["v1", "usage"],
        query: Self.query([
          "device": query.device, "app": query.appID, "from": query.from.map(String.init),
          "to": query.to.map(String.init), "limit": String(query.limit), "cursor": query.cursor,
        ]))
    case .summaries(let device, let from, let to):
      RequestTarget(
        segments: ["v1", "usage", "summary"], query: Self.query(["device": device, "from": from, "to": to]))
    case .startUsage: RequestTarget(segments: ["v1", "usage", "sessions"])
    case .endUsage(let recordID): RequestTarget(segments: ["v1", "usage", "sessions", recordID, "end"])
    }
  }

  private static func query(_ values: [String: String?]) -> [String: String] { values.compactMapValues { $0 } }
}
