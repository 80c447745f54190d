import LatchkeyModel

extension LocalRoute {
  /// Read a request's method and target.
  ///
  /// - Throws: `ControlFailure`, the caller's fault: an unknown path (404), a wrong method (405), a bad value (400).
  package static func read(method: String, target text: String) throws(ControlFailure) -> LocalRoute {
    guard let target = RequestTarget(text) else {
      throw ControlFailure(400, .invalid, "The request's path is malformed: use one that the local API lists.")
    }
    for part in target.segments + target.query.values {
      if let fault = TextRule.requestPart.fault(in: part) { throw ControlFailure(400, .invalid, fault) }
    }
    let routes = try candidates(target)
    guard !routes.isEmpty else {
      throw ControlFailure(404, .invalid, "The local API has no such path: look it up under /v1 in its description.")
    }
    guard let route = routes.first(where: { $0.method.rawValue == method }) else {
      let allowed = routes.map(\.method.rawValue).sorted()
      throw ControlFailure(
        405, .invalid, "This path does not take that method: use \(allowed.joined(separator: " or ")).", allow: allowed)
    }
    return route
  }

  /// Every request that `target` may stand for, one a method.
  private static func candidates(_ target: RequestTarget) throws(ControlFailure) -> [LocalRoute] {
    guard target.segments.first == "v1" else { return [] }
    let query = target.query
    let rest = Array(target.segments.dropFirst())
    switch (rest.first, rest.count) {
    case ("status", 1): return [.status]
    case ("sync", 1): return [.sync, .syncNow(device: query["device"])]
    case ("queue", 1):
      return [
        .queue(
          device: query["device"], streamClass: try query["class"].map(streamClass),
          limit: try number(query, "limit") ?? 100)
      ]
    case ("queue", 4):
      guard let number = UInt64(rest[3]) else { return [] }
      return [.queueEntry(device: rest[1], streamClass: try streamClass(rest[2]), number: number)]
    case ("settings", 1): return [.settings]
    case ("messages", 3) where rest[2] == "read": return [.markMessageRead(id: rest[1])]
    case ("apps", 1): return [.apps(device: query["device"])]
    case ("devices", 1): return [.devices]
    case ("nearby", 1): return [.nearby]
    case ("devices", 2): return [.unpair(device: rest[1])]
    case ("devices", 3) where rest[2] == "forget": return [.forget(device: rest[1])]
    case ("devices", 3) where rest[2] == "release": return [.release(device: rest[1])]
    case ("pairing", _): return try pairingCandidates(rest, query: query)
    case ("commands", _): return try commandCandidates(rest, query: query)
    case ("usage", _): return try usageCandidates(rest, query: query)
    default: return []
    }
  }

  private static func pairingCandidates(
    _ rest: [String], query: [String: String]
  ) throws(ControlFailure) -> [LocalRoute] {
    switch rest.count {
    case 1: return [.pairings]
    case 2 where rest[1] == "invitations": return [.invite]
    case 2 where rest[1] == "joins": return [.join]
    case 2 where rest[1] == "nearby": return [.nearbyInvitations(after: try number(query, "after") ?? 0)]
    case 2: return [.pairing(id: rest[1], after: try number(query, "after") ?? 0), .cancelPairing(id: rest[1])]
    case 3 where rest[2] == "answer": return [.answerPairing(id: rest[1])]
    default: return []
    }
  }

  private static func commandCandidates(
    _ rest: [String], query: [String: String]
  ) throws(ControlFailure) -> [LocalRoute] {
    switch rest.count {
    case 1: return [.issue, .commands(device: query["device"], limit: try number(query, "limit") ?? 100)]
    case 2: return [.command(id: rest[1]), .cancelCommand(id: rest[1])]
    case 3 where rest[2] == "wait": return [.waitForCommand(id: rest[1])]
    default: return []
    }
  }

  private static func usageCandidates(
    _ rest: [String], query: [String: String]
  ) throws(ControlFailure) -> [LocalRoute] {
    switch rest.count {
    case 1:
      return [
        .usage(
          UsageQuery(
            device: query["device"], appID: query["app"], from: try number(query, "from"), to: try number(query, "to"),
            limit: try number(query, "limit") ?? 1_000, cursor: query["cursor"]))
      ]
    case 2 where rest[1] == "summary":
      return [.summaries(device: query["device"], from: query["from"], to: query["to"])]
    case 2 where rest[1] == "sessions": return [.startUsage]
    case 4 where rest[1] == "sessions" && rest[3] == "end": return [.endUsage(recordID: rest[2])]
    default: return []
    }
  }

  private static func streamClass(_ word: String) throws(ControlFailure) -> StreamClass {
    guard let streamClass = StreamClass(word: word) else {
      throw ControlFailure(
        400, .invalid,
        "There is no such class of items: give one of \(StreamClass.allCases.map(\.word).joined(separator: ", ")).")
    }
    return streamClass
  }

  private static func number<Number: FixedWidthInteger>(
    _ query: [String: String], _ name: String
  ) throws(ControlFailure) -> Number? {
    guard let text = query[name] else { return nil }
    guard let number = Number(text) else {
      throw ControlFailure(400, .invalid, "The value of `\(name)` is not a whole number: give digits only.")
    }
    return number
  }
}
