import LatchkeyModel
import LatchkeyNode

/// A pairing from a parent's pages: it is begun, the other machine is let in or turned away, and
/// it is cancelled.
enum PairingForms {
  static let all = [
    Form(path: PairPage.path, whoMay: [.parent]) { call in
      try await FormOutcome.orFault(on: PairPage.path) {
        let names = OwnerFields.names(call.fields)
        let opened = try await call.node.ask(Endpoints.invite, InviteRequest(childName: names.isEmpty ? nil : names))
        call.pairings.opened(opened)
        return FormOutcome(page: path(opened.pairingID))
      }
    },
    Form(path: "\(PairPage.path)/answer", whoMay: [.parent]) { call in
      let (id, isAccepted) = (try call.id("pairing"), try call.isYes("answer"))
      return try await FormOutcome.orFault(on: path(id)) {
        let attempt = try call.number("attempt") ?? 0
        _ = try await call.node.ask(Endpoints.answerPairing, (id, PairingAnswer(accept: isAccepted, attempt: attempt)))
        if !isAccepted { call.pairings.refused(id) }
        return FormOutcome(page: path(id))
      }
    },
    Form(path: "\(PairPage.path)/cancel", whoMay: [.parent]) { call in
      let id = try call.id("pairing")
      return try await FormOutcome.orFault(on: path(id)) {
        _ = try await call.node.ask(Endpoints.cancelPairing, id)
        return FormOutcome(page: path(id))
      }
    },
  ]

  private static func path(_ id: String) -> String { "\(PairPage.path)/\(id)" }
}

extension FormCall {
  /// Returns a field with an ID, which may stand in a path.
  func id(_ name: String) throws(PageFault) -> String {
    let id = try field(name)
    guard PagePath.isID(id) else {
      throw PageFault(400, "The form is malformed: go back, load the page again and send it once more.")
    }
    return id
  }

  /// Returns whether a field says yes.
  func isYes(_ name: String) throws(PageFault) -> Bool {
    switch try field(name) {
    case "yes": return true
    case "no": return false
    default: throw PageFault(400, "An answer is yes or no: go back and choose one.")
    }
  }
}

extension FormOutcome {
  /// Returns what a form has done or, if what was typed or chosen is refused, the sentence about it
  /// for the page with the form.
  ///
  /// - Parameters:
  ///   - page: The page with the form.
  ///   - body: Carries out the form.
  /// - Returns: The outcome.
  /// - Throws: What the page cannot mend, such as a node that is away.
  static func orFault(on page: String, _ body: () async throws -> FormOutcome) async throws -> FormOutcome {
    do { return try await body() } catch let error as LocalAPIError {
      switch error.code {
      case .invalid, .tooLate, .limit, .unknownItem, .unknownPairing, .unknownChild, .wrongRole:
        return FormOutcome(
          sentences: [error.phrase ?? Phrase(verbatim: error.message)], page: page, isFault: true)
      default: throw error
      }
    } catch let fault as PageFault where fault.status == 400 {
      return FormOutcome(sentences: [fault.sentence], page: page, isFault: true)
    }
  }
}
