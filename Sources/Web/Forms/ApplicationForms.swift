import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeyRules

/// The forms that change several applications at once, and allow a program that was closed.
enum ApplicationForms {
  private static let mostChanges = 64

  static let all = [
    Form(path: "/children/applications", whoMay: [.parent, .phone]) { call in
      let child = try call.child()
      let found = try await KnownApplications.read(of: child, at: call.node)
      let filter = ApplicationFilter(call.fields)
      let edits: [Edit]
      do throws(Fault) {
        if let fault = changedMeanwhile(call.fields, found.apps) { throw fault }
        edits = try changes(call.fields, found.apps)
      } catch { return again(error, found, filter, call) }
      var (machines, count) = ([EditedMachine](), 0)
      for batch in batches(edits) {
        let made: RuleEdit
        do throws(LocalAPIError) {
          let request = RuleRequest(batch.flatMap(\.changes), seen: batch.flatMap(\.seen))
          made = try await call.node.ask(Endpoints.setRules, (child, request))
        } catch {
          guard error.code == .tooLate else { throw error }
          // Another tab has made a change since the check above.
          let present = try await KnownApplications.read(of: child, at: call.node)
          return again(meanwhile(saved: count), present, filter, call)
        }
        count += batch.count
        machines += made.machines.filter { machine in !machines.contains { $0.deviceID == machine.deviceID } }
      }
      let done = Phrase(
        one: "1 application was changed.", other: "{count} applications were changed.", count: edits.count)
      return FormOutcome(
        sentences: [done] + call.late(machines), page: "/children/\(child)/applications\(filter.query)")
    },
    Form(path: "/children/allow", whoMay: [.parent, .phone]) { call in
      let child = try call.child()
      let mark = try call.field("program")
      let listed = try await call.node.ask(Endpoints.getRefused, child)
      guard let program = listed.first(where: { Self.mark(of: $0) == mark }), program.isAllowable else {
        throw PageFault(404, "That program is not in the list of closed programs any more: load the page again.")
      }
      let category = call.fields["category"].flatMap { AppCategory(rawValue: $0) }
      let chosen = program.isListed && category == program.category ? nil : category
      let made = try await call.node.ask(Endpoints.setRules, (child, program.allowing(chosen)))
      return FormOutcome(
        sentences: [
          Phrase(
            "{child} may use {program} by the rules of its application.",
            ["child": .text(program.childName.text), "program": .text(program.displayName)])
        ] + call.late(made.machines), page: "/children/\(child)/applications")
    },
  ]

  /// Returns the name in forms of a program that was closed.
  ///
  /// The program's own texts may have any characters.
  static func mark(of program: RefusedListing) -> String {
    let text = "\(program.appID) \(program.matcher ?? "")"
    return Hexadecimal.encode(Array(SHA256.hash([UInt8](text.utf8)).prefix(12)))
  }

  struct Fault: Error {
    var phrase: Phrase
    var status = 400
  }

  /// The changes of one application, with whole keys.
  struct Edit: Hashable {
    var changes: [RuleRequest.Change]
    /// The earlier values of everything that the form's fields can change, for the node to compare.
    var seen: [RuleRequest.Change]
  }

  private static func again(
    _ fault: Fault, _ found: KnownApplications, _ filter: ApplicationFilter, _ call: FormCall
  ) -> FormOutcome {
    let data = ApplicationsPage.data(found, filter, entered: call.fields, fault: fault.phrase, now: call.now)
    return FormOutcome(
      shown: FormPage(
        status: fault.status, template: ApplicationsPage.template, title: ApplicationsPage.title(found), data: data))
  }

  /// Returns the sentence about ticked applications whose rules have changed since the page was
  /// made; `nil` if there are none.
  static func changedMeanwhile(_ fields: FormFields, _ apps: [KnownApplications.App]) -> Fault? {
    let changed = apps.filter { app in fields["app:\(app.id.text)"].map { $0 != app.version } ?? false }
    guard !changed.isEmpty else { return nil }
    return Fault(
      phrase: Phrase(
        "Nothing was saved: the rules of {applications} were changed meanwhile. Look at them, and send yours again.",
        ["applications": .phrase(PageWords.list(changed.map(\.name)))]), status: 409)
  }

  /// Returns the sentence for a change that the node refuses because of another change meanwhile.
  private static func meanwhile(saved count: Int) -> Fault {
    Fault(
      phrase: count == 0
        ? Phrase("Nothing was saved: rules were changed meanwhile. Look at them, and send yours again.")
        : Phrase(
          one:
            "1 application was changed. Rules of the others were changed meanwhile: look at them, and send yours again.",
          other:
            "{count} applications were changed. Rules of the others were changed meanwhile: look at them, and send yours again.",
          count: count), status: 409)
  }

  /// Returns the changes of each ticked application.
  ///
  /// - Throws: `Fault` if nothing is ticked or changed, or for a field that cannot be read.
  static func changes(_ fields: FormFields, _ apps: [KnownApplications.App]) throws(Fault) -> [Edit] {
    let ticked = Set(fields.names(after: "app:"))
    let chosen = apps.filter { ticked.contains($0.id.text) }
    guard !chosen.isEmpty else {
      throw Fault(phrase: Phrase("Nothing is ticked: tick the applications that are to change."))
    }
    var common: [RuleRequest.Change] = []
    switch fields["category"] {
    case nil: break
    case "none": common.append(.init(AppRule.category.end, nil))
    case let word?:
      guard let category = AppCategory(rawValue: word) else {
        throw Fault(phrase: Phrase("Choose a category of the list."))
      }
      common.append(AppRule.category.change(category))
    }
    switch fields["use"] {
    case nil: break
    case "block": common.append(AppRule.blocked.change(.yes))
    case "unblock": common.append(AppRule.blocked.change(.no))
    case "always": common += [AppRule.allowed.change(true), AppRule.blocked.change(.no)]
    case "sometimes": common.append(AppRule.allowed.change(false))
    default: throw Fault(phrase: Phrase("Choose what is allowed from the list."))
    }
    let limit: DayLimits.Change?
    do throws(RuleFault) {
      limit = try fields["limit"].map { text throws(RuleFault) in
        try DayLimits.Change(given: TypedInput.read(text), canHaveHours: true)
      }
      if let rate = try fields["rate"].map({ text throws(RuleFault) in try TypedInput.points(text) }) {
        let isNone = rate == "none"
        common.append(isNone ? .init(AppRule.rate.end, nil) : AppRule.rate.change(try AppRule.rate.read(given: rate)))
      }
    } catch { throw Fault(phrase: error.phrase) }
    guard !common.isEmpty || limit != nil else {
      throw Fault(phrase: Phrase("Nothing is to change: choose a category, what is allowed, a limit or points."))
    }
    var ends: [String] = []
    if fields["category"] != nil { ends.append(AppRule.category.end) }
    if fields["use"] != nil { ends += [AppRule.blocked.end, AppRule.allowed.end] }
    if fields["rate"] != nil { ends.append(AppRule.rate.end) }
    if limit != nil { ends += [AppRule.limit.end] + Weekday.allCases.map { "\(AppRule.limit.end)/\($0.word)" } }
    return chosen.map { app in
      let limits = limit?.changes(of: AppRule.limit.end, replacing: app.limitedDays) ?? []
      let seen = RuleRequest(ends.map { .init($0, nil) }).rules(of: app.id).changes
      return Edit(
        changes: RuleRequest(common + limits).rules(of: app.id).changes,
        seen: seen.map { .init($0.key, app.own[$0.key]) })
    }
  }

  /// Joins the changes into as few edits as possible.
  static func batches(_ edits: [Edit]) -> [[Edit]] {
    edits.reduce(into: []) { batches, edit in
      let all = (batches.last ?? []) + [edit]
      if all.count > 1, all.map(\.changes.count).reduce(0, +) <= mostChanges,
        all.map(\.seen.count).reduce(0, +) <= RuleRequest.mostSeen
      {
        batches[batches.count - 1] = all
      } else {
        batches.append([edit])
      }
    }
  }
}

extension ApplicationFilter {
  /// The query that leads back to the same applications, without a search text that needs an
  /// escape.
  var query: String {
    let isPlain = text.utf8.allSatisfy(\.isLetterOrDigit)
    return "?show=\(kind.rawValue)" + (isPlain && !text.isEmpty ? "&q=\(text)" : "")
  }
}

extension FormCall {
  /// Returns the ID of the child that the form names.
  func child() throws(PageFault) -> String {
    guard let child = ChildID(try field("child"))?.description else { throw .noChild }
    return child
  }
}
