import LatchkeyModel
import LatchkeyNode

/// The forms on a child's own page: ask, change points into time and back, and say who is there.
enum OwnForms {
  static let all = [
    Form(path: "/ask", whoMay: [.child]) { call in
      let asked = try await call.once(try call.field("key")).ask(
        Endpoints.ask,
        AskRequest(
          minutes: try call.minutes("minutes"), app: call.fields["app"],
          reason: call.line("reason", label: Phrase("Why"))))
      if asked.isRepeated == true {
        return FormOutcome(sentences: [
          "Your parents were asked once, although the button was pressed twice. Press it here to ask again."
        ])
      }
      let told = asked.told ?? []
      let whom =
        told.isEmpty
        ? Phrase("No parent's machine can be reached now; they are asked as soon as one is.")
        : Phrase("It is on {machines} now.", ["machines": .phrase(PageWords.list(told.map(\.name.text)))])
      return FormOutcome(sentences: [
        Phrase("Your parents are asked for {wish}.", ["wish": .phrase(asked.wish())]), whom,
      ])
    },
    Form(path: "/redeem", whoMay: [.child]) { call in
      let points = try call.milliPoints("points", else: Phrase("Give a number of points above 0, such as 20."))
      let redeemed = try await call.once(try call.field("key")).ask(
        Endpoints.redeemPoints, PointsRedemption(milliPoints: points))
      if redeemed.isRepeated == true {
        return FormOutcome(sentences: [
          "Points were changed into time once, although the button was pressed twice. Press it here for more."
        ])
      }
      var arguments: [String: Phrase.Argument] = [
        "points": .phrase(PointsText.phrase(redeemed.milliPoints)),
        "time": .phrase(PageWords.span(redeemed.milliseconds)),
      ]
      guard let last = redeemed.lastDay else {
        return FormOutcome(sentences: [Phrase("{points} became {time}.", arguments)])
      }
      arguments["day"] = .phrase(PageClock.day(last))
      return FormOutcome(sentences: [Phrase("{points} became {time}, to be used until {day}.", arguments)])
    },
    Form(path: "/refund", whoMay: [.child]) { call in
      let refunded = try await call.node.ask(Endpoints.refundPoints, PointsRedemption())
      return FormOutcome(sentences: [
        Phrase(
          "{time} became {points} again.",
          [
            "time": .phrase(PageWords.span(refunded.milliseconds)),
            "points": .phrase(PointsText.phrase(refunded.milliPoints)),
          ])
      ])
    },
    Form(path: "/present", whoMay: [.child]) { call in
      if call.fields["leave"] != nil {
        _ = try await call.node.ask(Endpoints.setPresence, PresenceRequest(child: nil, pin: nil))
        return FormOutcome(sentences: ["You have left: the strictest rules hold until somebody says who is there."])
      }
      let account = try await call.node.ask(
        Endpoints.setPresence, PresenceRequest(child: try call.field("child"), pin: try call.field("pin")))
      return FormOutcome(
        sentences: account.present.map {
          [Phrase("You are {name}: your own rules hold now.", ["name": .text($0.text)])]
        } ?? [])
    },
  ]
}
