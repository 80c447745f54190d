import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The forms about a machine of the family: rename it, call it now, and remove it.
enum MachineForms {
  static let all = [
    Form(path: "/machines/rename", whoMay: [.parent]) { call in
      let device = try call.id("device")
      return try await FormOutcome.orFault(on: "/machines/\(device)") {
        let name = try call.field("name")
        let renamed = try await call.node.ask(Endpoints.renameDevice, (device, RenameRequest(name: name)))
        return FormOutcome(
          sentences: renamed.phrases(isRenamed: true), page: renamed.isOwn ? "/machines" : "/machines/\(device)")
      }
    },
    Form(path: "/machines/sync", whoMay: [.parent, .phone]) { call in
      let device = try call.id("device")
      let peers = try await call.node.ask(Endpoints.syncNow, device)
      let sentences = peers.map { peer -> Phrase in
        let machine = ["machine": peer.device.name.quotation]
        return peer.isConnected
          ? Phrase("{machine} is in touch: what waits for it is sent now.", machine)
          : Phrase("{machine} is called now. This page shows when it answers.", machine)
      }
      return FormOutcome(sentences: sentences, page: "/machines/\(device)")
    },
    Form(path: "/machines/remove", whoMay: [.parent]) { call in
      let removed = try await call.node.ask(Endpoints.deleteDevice, try call.id("device"))
      return FormOutcome(sentences: removed.phrases, page: "/machines")
    },
  ]
}

/// The forms of a pairing on a parent's pages: begin, answer, and cancel.
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
  /// Returns a field with an ID, which may be part of a path.
  func id(_ name: String) throws(PageFault) -> String {
    let id = try field(name)
    guard PagePath.isID(id) else {
      throw PageFault(400, "The form is malformed: go back, load the page again and send it once more.")
    }
    return id
  }

  /// Returns whether a field says yes.
  func isYes(_ name: String) throws(PageFault) -> Bool {
    try choice(name, ["yes": true, "no": false], PageFault(400, "An answer is yes or no: go back and choose one."))
  }

  /// Returns the field's word, which is one of some words.
  ///
  /// Throws the fault for any other word.
  func choice<Value>(_ name: String, _ values: [String: Value], _ fault: PageFault) throws(PageFault) -> Value {
    guard let value = values[try field(name)] else { throw fault }
    return value
  }
}

extension FormOutcome {
  /// Returns the outcome of a form.
  ///
  /// If the input is refused, the outcome is the refusal, for the page with the form.
  ///
  /// - Throws: A fault that another input cannot mend, such as that the node does not answer.
  static func orFault(on page: String, _ body: () async throws -> FormOutcome) async throws -> FormOutcome {
    do { return try await body() } catch let error as LocalAPIError {
      switch error.code {
      case .invalid, .tooLate, .limit, .unknownItem, .unknownPairing, .unknownChild, .wrongRole:
        return FormOutcome(sentences: [error.phrase ?? Phrase(verbatim: error.message)], page: page, isFault: true)
      default: throw error
      }
    } catch let fault as PageFault where fault.status == 400 {
      return FormOutcome(sentences: [fault.sentence], page: page, isFault: true)
    }
  }
}

/// The forms that answer the questions about a machine after its pairing.
///
/// Each answer leads to the next open question, and the last one to the first page.
enum SetupForms {
  static let all = [
    Form(path: "/machines/setup/owner", whoMay: [.parent]) { call in
      try await answer(call, .owner) { device in
        let names = OwnerFields.names(call.fields)
        guard !names.isEmpty else { throw PageFault(400, "Name the child, or skip this question.") }
        let renamed = try await call.node.ask(Endpoints.renameDevice, (device, RenameRequest(childName: names)))
        return renamed.phrases(isRenamed: false)
      }
    },
    Form(path: "/machines/setup/account", whoMay: [.parent]) { call in
      try await answer(call, .account) { device in
        let chosen = try call.field("account")
        let state = try await SetupState.read(call.node, device)
        let children = sharing(chosen, try call.id("child"), call.fields.names(after: "share:"), state)
        let account = AccountRequest(device: device, account: chosen, children: children)
        return [try await call.node.ask(Endpoints.assignAccount, account).phrase]
      }
    },
    Form(path: "/machines/setup/limit", whoMay: [.parent]) { call in
      try await answer(call, .limit) { _ in
        let typed = try call.field("limit")
        let limit: String
        do throws(RuleFault) { limit = try ChildRule.dailyLimit.entry.given(TypedInput.read(typed)) } catch {
          throw PageFault(400, error.phrase)
        }
        return try await set(ChildRule.dailyLimit.key.change(limit), of: .daily, call)
      }
    },
    Form(path: "/machines/setup/bedtime", whoMay: [.parent]) { call in
      try await answer(call, .bedtime) { _ in
        let (from, until) = (try call.field("from"), try call.field("until"))
        return try await set(ChildRule.bedtime.key.change("\(from)-\(until)"), of: .bedtime, call)
      }
    },
  ]

  /// Returns the IDs of the children who will share an account: the child of the question, the
  /// ticked `others`, and the children whose account it is already.
  static func sharing(_ account: String, _ child: String, _ others: [String], _ state: SetupState) -> [String] {
    let listing = state.accounts.first { String($0.account.uid) == account && $0.owner == .child }
    let present = state.children.filter { listing?.childNames.contains($0.name) == true }.map(\.childID.description)
    let ticked = state.owners.map(\.childID.description).filter(others.contains)
    return ([child] + ticked + present).reduce(into: []) { all, id in if !all.contains(id) { all.append(id) } }
  }

  /// Carries out the answer to a question, and returns the outcome with the next page.
  private static func answer(
    _ call: FormCall, _ kind: SetupQuestion.Kind, _ act: (String) async throws -> [Phrase]
  ) async throws -> FormOutcome {
    let device = try call.id("device")
    let child = kind == .owner ? nil : try call.id("child")
    let key = child.map { "\(kind.rawValue)-\($0)" } ?? kind.rawValue
    return try await FormOutcome.orFault(on: "/machines/\(device)/setup?at=\(key)") {
      let sentences = try await act(device)
      let state = try await SetupState.read(call.node, device)
      return FormOutcome(sentences: sentences, page: SetupPage.path(after: key, state))
    }
  }

  /// Sets a rule that a child did not have when its question was asked.
  ///
  /// Returns the rule that is set now.
  private static func set(_ change: RuleRequest.Change, of rule: PlanRule, _ call: FormCall) async throws -> [Phrase] {
    let request = RuleRequest([change], seen: rule.keys.map { .init($0.text, nil) })
    let edit = try await call.node.ask(Endpoints.setRules, (try call.id("child"), request))
    let set = edit.rules.rules.filter { $0.key.text == change.key }.map { rule in
      Phrase(
        "Set for {child}: {rule}, {value}.",
        ["child": .text(edit.rules.child.name.text), "rule": rule.nameArgument, "value": rule.valueArgument])
    }
    return set + call.late(edit.machines)
  }
}
