import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The form that answers a child's request.
enum AnswerForm {
  static let all = [
    Form(path: "/requests/answer", whoMay: [.parent, .phone]) { call in
      let isApproved = try call.isYes("answer")
      let minutes = isApproved ? try call.minutes("minutes") : nil
      let answered = try await call.node.ask(
        Endpoints.answerRequest,
        AnswerRequest(
          request: try call.field("request"), isApproved: isApproved, minutes: minutes,
          word: call.line("word", label: Phrase("A word"))))
      let arguments: [String: Phrase.Argument] = [
        "name": .text(answered.childName.text), "wish": .phrase(answered.wish(minutes: minutes)),
      ]
      return FormOutcome(sentences: [
        isApproved ? Phrase("{name} gets {wish}.", arguments) : Phrase("{name} does not get {wish}.", arguments)
      ])
    }
  ]
}

/// The forms that give a child time, and lock its machines.
enum ChildForms {
  static let all = [
    Form(path: "/children/grant", whoMay: [.parent, .phone]) { call in
      guard let minutes = try call.minutes("minutes"), minutes > 0 else {
        throw PageFault(400, "More time is 1 to 1,440 minutes: give a number, such as 30.")
      }
      let child = try call.field("child")
      let edit = try await call.once(try call.field("key")).ask(
        Endpoints.grantTime, (child, GrantRequest(minutes: minutes)))
      let name = Phrase.Argument.text(edit.rules.child.name.text)
      if edit.isRepeated == true {
        return FormOutcome(sentences: [
          Phrase(
            "{name} got more time once, although the button was pressed twice. Press it here for more.", ["name": name])
        ])
      }
      let sentence = Phrase(
        "{name} has {time} more for the rest of the day.",
        ["name": name, "time": .phrase(SpanText.phrase(minutes: edit.minutes ?? minutes))])
      return FormOutcome(sentences: [sentence] + call.late(edit.machines))
    },
    Form(path: "/children/lock", whoMay: [.parent, .phone]) { call in
      let lock = try call.choice(
        "lock", ["on": Lock.on, "off": .off], PageFault(400, "Machines are locked or unlocked: go back and choose one.")
      )
      let edit = try await call.node.ask(
        Endpoints.setRules, (try call.field("child"), RuleRequest([ChildRule.lock.change(lock)])))
      let name: [String: Phrase.Argument] = ["name": .text(edit.rules.child.name.text)]
      let sentence =
        lock == .on
        ? Phrase("{name} is locked: nothing is open but what is always allowed, until you unlock.", name)
        : Phrase("{name} is not locked any more.", name)
      return FormOutcome(sentences: [sentence] + call.late(edit.machines))
    },
  ]
}

/// The forms about a child's day: a later bedtime, and a message to the child's machines.
enum ChildDayForms {
  static let all = [
    Form(path: "/children/later", whoMay: [.parent, .phone]) { call in
      guard let minutes = try call.minutes("minutes"), (1...240).contains(minutes) else {
        throw PageFault(400, "Bedtime is 1 to 240 minutes later: go back and choose one.")
      }
      let plan = try await ChildPlan.read(of: try call.child(), at: call.node)
      let (times, start) = try later(plan, by: minutes, now: call.now)
      guard try call.field("version") == plan.version(of: .bedtime) else { throw changedMeanwhile }
      let change = DayRule.bedtime.key(on: DayRange(plan.today)).change(times)
      let keyed = try await call.once(try call.field("key"))
      let made: RuleEdit
      do throws(LocalAPIError) {
        let request = RuleRequest([change], seen: plan.seen(.bedtime, [change]))
        made = try await keyed.ask(Endpoints.setRules, (plan.child, request))
      } catch {
        if error.code == .tooLate { throw changedMeanwhile }
        throw error
      }
      // A second press at the same time has no effect.
      if made.isRepeated == true { throw changedMeanwhile }
      let phrase = start.map { start in
        Phrase("{child}'s bedtime begins at {time} today.", ["child": .text(plan.name), "time": .text(start)])
      }
      return FormOutcome(
        sentences: [phrase ?? Phrase("{child} has no bedtime today any more.", ["child": .text(plan.name)])]
          + call.late(made.machines), page: "/children/\(plan.child)")
    },
    Form(path: "/children/message", whoMay: [.parent, .phone]) { call in
      let plan = try await ChildPlan.read(of: try call.child(), at: call.node)
      let text = try call.field("text")
      guard !plan.machines.isEmpty else {
        throw PageFault(404, "No machine is this child's yet, so nothing can be shown there.")
      }
      for machine in plan.machines {
        let request = CommandRequest(device: machine.device.deviceID.description, action: .message(text))
        _ = try await call.node.ask(Endpoints.issue, request)
      }
      return FormOutcome(
        sentences: [Phrase("Your message goes to {child}.", ["child": .text(plan.name)])]
          + call.late(plan.machines.map(EditedMachine.init)), page: "/children/\(plan.child)")
    },
  ]

  private static let changedMeanwhile = PageFault(
    409, "Nothing was changed: the bedtime was changed meanwhile, here or elsewhere. Go back and look at it again.")

  /// Returns the times of a bedtime that begins later today, as a rule writes them, and its new
  /// beginning.
  ///
  /// It is `nil` if nothing is left of the bedtime.
  ///
  /// The bedtime begins the given minutes after its beginning or, if it has begun, after the
  /// present.
  ///
  /// - Throws: `PageFault` if there is no bedtime today, or if it would begin on the next day.
  static func later(
    _ plan: ChildPlan, by minutes: Int, now: Int64
  ) throws(PageFault) -> (times: String, start: String?) {
    guard let boundary = plan.boundary else { throw PageFault(500, "The family's clock is not known: try again.") }
    let today = plan.today
    var windows = plan.bedtimeToday
    let index = windows.firstIndex { window in boundary.instant(on: today, minute: window.start + window.length) > now }
    guard let index else { throw PageFault(400, "There is no bedtime today that could begin later.") }
    let window = windows[index]
    let hasBegun = boundary.instant(on: today, minute: window.start) <= now
    let start =
      (hasBegun
        ? boundary.minuteOfDay(at: now) + (boundary.minuteOfDay(at: now) < window.start ? 1_440 : 0)
        : window.start) + minutes
    windows.remove(at: index)
    var texts = windows.map(\.text)
    guard start < window.start + window.length else {
      return (texts.isEmpty ? "none" : texts.joined(separator: ", "), nil)
    }
    // A time before the hour at which the family day begins is on the next date.
    guard start < 1_440 || start - 1_440 < boundary.dayStartHour * 60 else {
      throw PageFault(
        400,
        "Bedtime would begin on the next day: remove it for today on the page of times, or lock the machines later.")
    }
    let beginning = clock(start % 1_440)
    texts.append("\(beginning)-\(window.text.suffix(5))")
    do throws(RuleFault) { return (try DayWindows(typed: texts.joined(separator: ", ")).text, beginning) } catch {
      throw PageFault(400, error.phrase)
    }
  }

  private static func clock(_ minute: Int) -> String {
    let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
    return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
  }
}

/// The forms about points: give, take, and review held learning.
enum PointsForms {
  static let all = [
    Form(path: "/points/adjust", whoMay: [.parent, .phone]) { call in
      let child = try call.child()
      let points = try call.milliPoints("points", else: Phrase("Give a number of points above 0, such as 20 or 2.5."))
      let isGift = try call.choice(
        "deed", ["give": true, "take": false], PageFault(400, "Points are given or taken: go back and choose one."))
      let made = try await call.once(try call.field("key")).ask(
        Endpoints.adjustPoints,
        PointsAdjustment(child: child, milliPoints: isGift ? points : -points, reason: call.fields["reason"] ?? ""))
      if made.isRepeated == true {
        return FormOutcome(
          sentences: ["Points were changed once, although the button was pressed twice. Press it here for more."],
          page: "/children/\(child)")
      }
      return FormOutcome(sentences: sentences(made), page: "/children/\(child)")
    },
    Form(path: "/points/review", whoMay: [.parent, .phone]) { call in
      let child = try call.child()
      let isApproved = try call.choice(
        "decision", ["approve": true, "reject": false],
        PageFault(400, "Learning counts or does not: go back and choose one."))
      _ = try await call.node.ask(
        Endpoints.reviewPoints, PointsReview(record: try call.field("record"), isApproved: isApproved))
      return FormOutcome(
        sentences: [isApproved ? Phrase("That learning counts.") : Phrase("That learning does not count.")],
        page: "/children/\(child)")
    },
  ]

  /// Returns the outcome of a change.
  private static func sentences(_ made: PointsAdjusted) -> [Phrase] {
    let name = Phrase.Argument.text(made.points.childName.text)
    func points(_ milliPoints: Int64) -> [String: Phrase.Argument] {
      ["child": name, "points": .phrase(PointsText.phrase(milliPoints))]
    }
    var sentences: [Phrase] = []
    if made.milliPoints > 0 { sentences.append(Phrase("{child} gets {points}.", points(made.milliPoints))) }
    if made.milliPoints < 0 { sentences.append(Phrase("{child} loses {points}.", points(-made.milliPoints))) }
    if made.asked > 0 {
      sentences.append(
        Phrase("The machines of {child} are asked to take {points} away, as far as they have them.", points(made.asked))
      )
    }
    return sentences.isEmpty
      ? [Phrase("Nothing was taken: no points of {child} are in reach of this machine.", ["child": name])] : sentences
  }
}
