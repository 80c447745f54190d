import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The points of children, as people see and change them.
///
/// Spec: Protocol/11-rules.md §6, Protocol/12-facts.md §6.
extension Endpoints {
  static let pointsRoutes: [any ServedEndpoint] = [getPoints, adjustPoints, reviewPoints, redeemPoints, refundPoints]

  package static let getPoints = Endpoint(
    .get, "/v1/points", Query.onlyChild, Query.greatest("The most changes to answer with, 1 to 10,000.", default: 10),
    whoMay: .operatorsChildAndReceivers, browsers: .look,
    errors: [.unknownChild, .ambiguousChild], summary: "The points of a child."
  ) { call, child, limit in try await call.points(of: call.childOrOnly(child), limit: limit) }

  package static let adjustPoints = Endpoint(
    .post, "/v1/points/adjust", Body.json(PointsAdjustment.self), whoMay: .operatorsAndReceivers, browsers: .parent,
    on: .parent("A parent changes points, on a parent's machine: run this there."),
    errors: [.unknownChild, .ambiguousChild, .limit],
    summary: "Changes the points of a child, on a parent. What is not here is asked of the child's machines."
  ) { call, request in try await call.adjustPoints(request) }

  package static let reviewPoints = Endpoint(
    .post, "/v1/points/review", Body.json(PointsReview.self),
    browsers: .parent, on: .parent("A parent reviews learning, on a parent's machine: run this there."), created: true,
    errors: [.unknownItem],
    summary: "Decides about learning that looks wrong, on a parent."
  ) { call, request in try await call.reviewPoints(request) }

  package static let redeemPoints = Endpoint(
    .post, "/v1/points/redeem", Body.json(PointsRedemption.self), whoMay: .operatorsAndChild,
    on: .child("Points are redeemed on the child's machine: run `latchkey redeem` there."),
    errors: [.unknownChild, .ambiguousChild], summary: "Changes points into time, on a child's machine."
  ) { call, request in try await call.redeem(request, of: call.childOrOnly(request.child)) }

  package static let refundPoints = Endpoint(
    .post, "/v1/points/refund", Body.json(PointsRedemption.self), whoMay: .operatorsAndChild,
    on: .child("Time is given back on the child's machine: run `latchkey refund` there."),
    errors: [.unknownChild, .ambiguousChild],
    summary: "Changes unused redeemed time back into points, on a child's machine."
  ) { call, request in try await call.refund(of: call.childOrOnly(request.child)) }
}

extension Call {
  func points(of child: ChildID, limit: Int = 10) async throws -> PointsListing {
    let household = try await household()
    let names = try await names()
    let name = household.title(of: child)
    let connected = context.members.connected
    return try await store.look { effects in
      let purse = try effects.purse(of: child)
      let day = context.moment(try effects.rules(of: child)).day
      return PointsPage(purse: purse, names: names, connected: connected).points(of: name, on: day, limit: limit)
    }
  }

  /// Returns the points that a receiver gives; a receiver takes none.
  private func deed(_ request: PointsAdjustment, for child: ChildID) async throws -> ReceiverDeed? {
    guard caller.receiver != nil else { return nil }
    guard request.milliPoints > 0 else { throw ControlFailure.notForReceivers.error }
    return try await deed(
      .points, "\(request.milliPoints) milli-points for \(household().title(of: child))",
      giving: ReceiverGift(milliPoints: request.milliPoints))
  }

  /// Changes a child's points; what is not here to deduct is asked of the child's machines.
  fileprivate func adjustPoints(_ request: PointsAdjustment) async throws -> PointsAdjusted {
    let child = try await childOrOnly(request.child)
    let machines = try await household().given(to: child).map(\.device)
    let deed = try await deed(request, for: child)
    let source = try newID({ RecordID(bytes: $0) }, "The change")
    let (made, commands, _) = try await act { effects, _ -> (Int64?, ActOrders) in
      if deed == nil, let key = caller.key, try !effects.isNew(key) { return (nil, .none) }
      guard try count(deed, &effects) else { return (0, .none) }
      let moment = context.moment(try effects.rules(of: child))
      var purse = try effects.purse(of: child)
      var made: Int64 = 0
      if request.milliPoints > 0 || purse.spendable > 0 {
        let entry = purse.adjust(
          by: request.milliPoints, source: source, day: moment.day, at: moment.at, note: request.reason)
        if let entry { try effects.add(entry, of: child) }
        made = entry?.milliPoints ?? 0
      }
      let asked = Self.shares(of: made - request.milliPoints, machines, purse.ledger).map { device, milliPoints in
        let take = TakePoints(child: child, milliPoints: milliPoints, day: moment.day, reason: request.reason)
        return (device: device, payload: CommandPayload(take))
      }
      return (made, ActOrders(commands: asked))
    }
    let asked = commands.compactMap { $0.payload.as(TakePoints.self)?.milliPoints }.reduce(0, +)
    return PointsAdjusted(
      points: try await points(of: child), milliPoints: made ?? 0, asked: asked,
      commands: commands.filter { $0.payload.as(TakePoints.self) != nil }, isRepeated: made == nil ? true : nil)
  }

  /// Divides a deduction over a child's machines by what they hold.
  ///
  /// What is missing is asked of the one that holds the most, which may hold more than is known
  /// here. No machine is asked that is known to hold nothing.
  static func shares(of milliPoints: Int64, _ machines: [DeviceID], _ ledger: Ledger) -> [(DeviceID, Int64)] {
    var rest = max(0, milliPoints)
    guard rest > 0 else { return [] }
    let ordered = machines.map { ($0, max(0, ledger.purse(of: $0))) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    var shares: [(DeviceID, Int64)] = []
    for (device, held) in ordered where rest > 0 && held > 0 {
      shares.append((device, min(rest, held)))
      rest -= min(rest, held)
    }
    if !shares.isEmpty { shares[0].1 += rest }
    return shares
  }

  fileprivate func reviewPoints(_ request: PointsReview) async throws -> ConfigurationCommand {
    let household = try await household()
    let children = household.children.map(\.id)
    let held = try await store.look { effects in
      try children.flatMap { child in
        PointsPage.held(in: try effects.ledger(of: child)).map { (child: child, entry: $0) }
      }
    }
    let entry: (child: ChildID, entry: LedgerEntry)
    if let text = request.record {
      let bytes = try ShortIDs(held.map(\.entry.id.source.bytes)).find(text, "review", listing: "latchkey points")
      guard let match = held.first(where: { $0.entry.id.source.bytes == bytes }) else {
        throw LocalAPIError(
          .unknownItem, phrase: "Nothing of that ID waits for a review: `latchkey points` lists what does.")
      }
      entry = match
    } else {
      entry = try held.only(
        orNone: Phrase("No learning waits for a review: `latchkey points` shows what does."),
        orSeveral: Phrase(
          "{count} sessions wait for a review: name one as `latchkey points` shows it.",
          ["count": .number(held.count)]))
    }
    let review = ReviewLearning(child: entry.child, record: entry.entry.id.source, isApproved: request.isApproved)
    let device = entry.entry.id.purse
    let commands = try await act { _, _ -> (Bool, ActOrders) in
      (true, ActOrders(commands: [(device: device, payload: CommandPayload(review))]))
    }.commands
    guard let command = commands.first else {
      throw LocalAPIError(.internal, "The review was not sent: give the command again.")
    }
    return command
  }
}
