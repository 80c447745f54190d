import LatchkeyModel
import LatchkeyNode

/// What a child does on its own page: ask, change points into time and back, and say who is there.
enum OwnForms {
  static let all = [
    Form(path: "/ask", whoMay: [.child]) { call in
      let asked = try await call.node.ask(
        Endpoints.ask,
        AskRequest(
          minutes: try call.number("minutes"), app: call.fields["app"], reason: call.line("reason", label: "Why")))
      let told = asked.told ?? []
      let whom =
        told.isEmpty
        ? "No parent's machine can be reached now; they are asked as soon as one is."
        : "It is on \(PageWords.list(told.map(\.name.text))) now."
      return FormOutcome(sentences: ["Your parents are asked for \(PageWords.wish(asked)).", whom])
    },
    Form(path: "/redeem", whoMay: [.child]) { call in
      guard let points = PointsText.milliPoints(try call.field("points")), points > 0 else {
        throw LocalAPIError(.invalid, "Give a number of points above 0, such as 20.")
      }
      let redeemed = try await call.node.ask(Endpoints.redeemPoints, PointsRedemption(milliPoints: points))
      let until = redeemed.lastDay.map { ", to be used until \(PageClock.day($0))" } ?? ""
      return FormOutcome(sentences: [
        "\(PointsText.counted(redeemed.milliPoints)) became \(PageWords.span(redeemed.milliseconds))\(until)."
      ])
    },
    Form(path: "/refund", whoMay: [.child]) { call in
      let refunded = try await call.node.ask(Endpoints.refundPoints, PointsRedemption())
      return FormOutcome(sentences: [
        "\(PageWords.span(refunded.milliseconds)) became \(PointsText.counted(refunded.milliPoints)) again."
      ])
    },
    Form(path: "/present", whoMay: [.child]) { call in
      if call.fields["leave"] != nil {
        _ = try await call.node.ask(Endpoints.setPresence, PresenceRequest(child: nil, pin: nil))
        return FormOutcome(sentences: ["You have left: the strictest rules hold until somebody says who is there."])
      }
      let account = try await call.node.ask(
        Endpoints.setPresence, PresenceRequest(child: try call.field("child"), pin: try call.field("pin")))
      return FormOutcome(sentences: account.present.map { ["You are \($0.text): your own rules hold now."] } ?? [])
    },
  ]
}
