import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// Points that a child changes into time, and time that it gives back.
///
/// Spec: Protocol/11-rules.md §6.
extension Call {
  /// Milliseconds that a redemption waits for points that another machine has.
  private static let patience: Int64 = 5_000

  private enum Outcome: Sendable {
    /// It may be a redemption with the same key that was made before.
    case redeemed(LedgerEntry, isRepeated: Bool)
    /// Another machine has the points that are missing here.
    case lacking(LocalAPIError)
  }

  func redeem(_ request: PointsRedemption, of child: ChildID) async throws -> PointsRedeemed {
    let known = keyedBytes("redemption", of: child)
    let source = try newID({ RecordID(bytes: known ?? $0) }, "The redemption")
    let deadline = context.now() + Self.patience
    var isWanted = false
    defer { if isWanted { want(child, until: nil) } }
    // By hand, since the last refusal is thrown, and the first one asks for points and looks again.
    while true {
      let seen = context.factNews.version
      switch try await redeem(request, of: child, source) {
      case .redeemed(let entry, let isRepeated):
        return PointsRedeemed(
          milliPoints: -entry.milliPoints, milliseconds: entry.quantity, lastDay: entry.lastDay,
          points: try await points(of: child), isRepeated: isRepeated ? true : nil)
      case .lacking(let error):
        let rest = deadline - context.now()
        guard rest > 0, !Task.isCancelled else { throw error }
        guard isWanted else {
          isWanted = true
          want(child, until: deadline.milliseconds)
          continue
        }
        await context.factNews.wait(after: seen, milliseconds: rest)
      }
    }
  }

  private func redeem(_ request: PointsRedemption, of child: ChildID, _ source: RecordID) async throws -> Outcome {
    let names = try await names()
    return try await act { effects, _ -> (Outcome, ActOrders) in
      let rules = try effects.rules(of: child)
      let moment = context.moment(rules)
      var purse = try effects.purse(of: child)
      let made = EntryID(purse: effects.own, kind: .redeemed, source: source)
      if let entry = purse.ledger.entries[made] { return (.redeemed(entry, isRepeated: true), .none) }
      let perPoint = max(1, rules.points.minutesPerPoint)
      let bought = request.minutes.map { (Int64($0) * 1_000 + perPoint - 1) / perPoint }
      guard let milliPoints = request.milliPoints ?? bought else {
        throw LocalAPIError(.invalid, phrase: "Give the number of points to redeem, such as 20.")
      }
      do {
        let entry = try purse.redeem(milliPoints, source: source, rules: rules, day: moment.day, at: moment.at)
        guard let entry else { throw LocalAPIError(.invalid, phrase: "That was redeemed before.") }
        try effects.add(entry, of: child)
        return (.redeemed(entry, isRepeated: false), .none)
      } catch let fault as RuleFault {
        let isElsewhere =
          rules.points.use == .redeemFirst && rules.mode == .points && milliPoints > purse.spendable
          && milliPoints <= purse.ledger.balance
        guard isElsewhere else { throw LocalAPIError(.invalid, phrase: fault.phrase) }
        let places = WaitingPoints.words(
          purse.ledger, beside: effects.own, names: names, connected: context.members.connected)
        let lack = LocalAPIError(
          .invalid, phrase: "These points are not here: {places}. Try again when it is in touch.",
          ["places": places.map { .phrase($0) } ?? ""])
        return (.lacking(lack), .none)
      }
    }.value
  }

  private func want(_ child: ChildID, until end: Int64?) {
    context.wantedPoints.withLock { $0[child] = end }
    context.factNews.notify()
  }

  func refund(of child: ChildID) async throws -> PointsRedeemed {
    let entries = try await act { effects, _ -> ([LedgerEntry], ActOrders) in
      let moment = context.moment(try effects.rules(of: child))
      var purse = try effects.purse(of: child)
      let redeemed = purse.ledger.entries.values.filter { $0.id.kind == .redeemed && $0.id.purse == effects.own }
      var refunds: [LedgerEntry] = []
      for redemption in redeemed.sorted(by: { ($0.at, $0.text) < ($1.at, $1.text) }) {
        // A redemption of which nothing is left is passed over.
        guard let refund = try? purse.refund(redemption.id.source, day: moment.day, at: moment.at) else { continue }
        try effects.add(refund, of: child)
        refunds.append(refund)
      }
      return (refunds, .none)
    }.value
    guard !entries.isEmpty else {
      throw LocalAPIError(
        .invalid, phrase: "No redeemed time is left to give back: `latchkey points` shows what there is.")
    }
    return PointsRedeemed(
      milliPoints: entries.reduce(0) { $0 &+ $1.milliPoints },
      milliseconds: entries.reduce(0) { $0 &+ $1.quantity }, lastDay: nil, points: try await points(of: child))
  }
}

/// Points of a child's that this machine cannot spend, in words.
enum WaitingPoints {
  /// Returns where points are that are not in this machine's purse, such as "12 points wait on
  /// “Mum's laptop”, which is out of reach".
  static func words(_ ledger: Ledger, beside own: DeviceID, names: FactNames, connected: Set<DeviceID>) -> Phrase? {
    let purses = Set(ledger.entries.keys.map(\.purse) + ledger.entries.values.compactMap(\.other))
    let places = purses.sorted().filter { $0 != own && ledger.purse(of: $0) > 0 }.map { device in
      let arguments: [String: Phrase.Argument] = [
        "points": .phrase(PointsText.phrase(ledger.purse(of: device))), "machine": .text("\(names[device])"),
      ]
      return connected.contains(device)
        ? Phrase("{points} wait on “{machine}”", arguments)
        : Phrase("{points} wait on “{machine}”, which is out of reach", arguments)
    }
    return joined(places)
  }

  /// Returns where redeemed time can be used, if not here.
  static func words(_ redeemed: [DeviceID: Int64], names: FactNames) -> Phrase? {
    let places = redeemed.sorted { $0.key < $1.key }.map { device, milliseconds in
      Phrase(
        "{time} of redeemed time can be used on “{machine}” alone",
        ["time": .phrase(SpanText.phrase(whole: milliseconds)), "machine": .text("\(names[device])")])
    }
    return joined(places)
  }

  /// Returns the first two places: a phrase can hold only some within each other.
  private static func joined(_ places: [Phrase]) -> Phrase? {
    guard let first = places.first else { return nil }
    guard places.count > 1 else { return first }
    return Phrase("{first}; {second}", ["first": .phrase(first), "second": .phrase(places[1])])
  }
}
