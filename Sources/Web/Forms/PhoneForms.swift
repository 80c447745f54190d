import LatchkeyModel
import LatchkeyNode

/// The forms that let phones in and sign them out, only on this machine.
enum PhoneForms {
  static let all = [
    Form(path: "/phones/begin", whoMay: [.parent]) { call in
      try await desk(call).begin()
      return FormOutcome(page: PhonesPage.path)
    },
    Form(path: "/phones/offer", whoMay: [.parent]) { call in
      try desk(call).offer()
      return FormOutcome(page: PhonesPage.path)
    },
    Form(path: "/phones/end", whoMay: [.parent]) { call in
      try desk(call).end()
      return FormOutcome(page: PhonesPage.path)
    },
    Form(path: "/phones/answer", whoMay: [.parent]) { call in
      guard let digits = try call.number("digits") else { throw malformed }
      switch try call.field("answer") {
      case "no":
        try desk(call).refuse(digits: digits)
        return FormOutcome(sentences: ["The phone was turned away."], page: PhonesPage.path)
      case "yes":
        guard let right = BrowserRight(rawValue: try call.field("right")) else { throw malformed }
        let label = try call.line("label", label: Phrase("What it is called"), rule: .browserLabel)
        guard !label.isEmpty else { throw PageFault(400, "The phone has no name: give it one, such as Anna’s phone.") }
        try await desk(call).accept(digits: digits, label: label, right: right)
        return FormOutcome(sentences: [Phrase("{phone} is let in.", ["phone": .text(label)])], page: PhonesPage.path)
      default: throw malformed
      }
    },
    Form(path: "/phones/remove", whoMay: [.parent]) { call in
      _ = try await call.node.ask(Endpoints.deleteBrowser, try call.field("browser"))
      return FormOutcome(sentences: ["The phone is signed out."], page: PhonesPage.path)
    },
  ]

  private static let malformed = PageFault(
    400, "The answer is yes or no, and a right: go back, load the page again and choose them once more.")

  private static func desk(_ call: FormCall) throws(PageFault) -> PhoneDesk {
    guard let desk = call.phones else {
      throw PageFault(403, "Phones are let in at the machine itself, and from no phone.")
    }
    return desk
  }
}
