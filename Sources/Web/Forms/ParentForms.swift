import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The answer to a child's request.
enum AnswerForm {
  static let all = [
    Form(path: "/requests/answer", whoMay: [.parent, .phone]) { call in
      let isApproved: Bool
      switch try call.field("answer") {
      case "yes": isApproved = true
      case "no": isApproved = false
      default: throw PageFault(400, "An answer is yes or no: go back and choose one.")
      }
      let minutes = isApproved ? try call.minutes("minutes") : nil
      let answered = try await call.node.ask(
        Endpoints.answerRequest,
        AnswerRequest(
          request: try call.field("request"), isApproved: isApproved, minutes: minutes,
          word: call.line("word", label: Phrase("A word")))
      )
      let arguments: [String: Phrase.Argument] = [
        "name": .text(answered.childName.text), "wish": .phrase(answered.wish(minutes: minutes)),
      ]
      return FormOutcome(sentences: [
        isApproved ? Phrase("{name} gets {wish}.", arguments) : Phrase("{name} does not get {wish}.", arguments)
      ])
    }
  ]
}

/// More time for a child, and the lock of its machines.
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
            "{name} got more time once, although the button was pressed twice. Press it here for more.",
            ["name": name])
        ])
      }
      let sentence = Phrase(
        "{name} has {time} more for the rest of the day.",
        ["name": name, "time": .phrase(SpanText.phrase(minutes: edit.minutes ?? minutes))])
      return FormOutcome(sentences: [sentence] + PageWords.late(edit.machines, PageClock(now: call.now)))
    },
    Form(path: "/children/lock", whoMay: [.parent, .phone]) { call in
      let lock: Lock
      switch try call.field("lock") {
      case "on": lock = .on
      case "off": lock = .off
      default: throw PageFault(400, "Machines are locked or unlocked: go back and choose one.")
      }
      let edit = try await call.node.ask(
        Endpoints.setRules, (try call.field("child"), RuleRequest([ChildRule.lock.change(lock)])))
      let name: [String: Phrase.Argument] = ["name": .text(edit.rules.child.name.text)]
      let sentence =
        lock == .on
        ? Phrase("{name} is locked: nothing is open but what is always allowed, until you unlock.", name)
        : Phrase("{name} is not locked any more.", name)
      return FormOutcome(sentences: [sentence] + PageWords.late(edit.machines, PageClock(now: call.now)))
    },
  ]
}
