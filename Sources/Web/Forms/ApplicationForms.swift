import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeyRules

/// Changes of several applications at once, and the permission of one that was closed.
enum ApplicationForms {
  /// The most changes of one request to the node.
  static let mostChanges = 64

  static let all = [
    Form(path: "/children/applications", whoMay: [.parent, .phone]) { call in
      let child = try call.child()
      let found = try await KnownApplications.read(of: child, at: call.node)
      let filter = ApplicationFilter(call.fields)
      let edits: [[RuleRequest.Change]]
      do throws(Fault) { edits = try changes(call.fields, found.apps) } catch {
        let data = ApplicationsPage.data(found, filter, entered: call.fields, fault: error.phrase, now: call.now)
        let page = FormPage(
          status: 400, template: ApplicationsPage.template, title: ApplicationsPage.title(found), data: data)
        return FormOutcome(shown: page)
      }
      var machines: [EditedMachine] = []
      for changes in batches(edits) {
        let made = try await call.node.ask(Endpoints.setRules, (child, RuleRequest(changes)))
        machines += made.machines.filter { machine in !machines.contains { $0.deviceID == machine.deviceID } }
      }
      let done = Phrase(
        one: "1 application was changed.", other: "{count} applications were changed.", count: edits.count)
      return FormOutcome(
        sentences: [done] + PageWords.late(machines, PageClock(now: call.now)),
        page: "/children/\(child)/applications\(filter.query)")
    },
    Form(path: "/children/allow", whoMay: [.parent, .phone]) { call in
      let child = try call.child()
      let mark = try call.field("program")
      let listed = try await call.node.ask(Endpoints.getRefused, child)
      guard let program = listed.first(where: { Self.mark(of: $0) == mark }),
        program.isAllowable
      else {
        throw PageFault(
          404, "That program is not in the list of closed programs any more: load the page again.")
      }
      let category = call.fields["category"].flatMap { AppCategory(rawValue: $0) }
      let chosen = program.isListed && category == program.category ? nil : category
      let made = try await call.node.ask(Endpoints.setRules, (child, program.allowing(chosen)))
      return FormOutcome(
        sentences: [
          Phrase(
            "{child} may use {program} by the rules of its application.",
            ["child": .text(program.childName.text), "program": .text(program.displayName)])
        ] + PageWords.late(made.machines, PageClock(now: call.now)),
        page: "/children/\(child)/applications")
    },
  ]

  /// Returns by what a form names a program that was closed, whose texts may be any.
  static func mark(of program: RefusedListing) -> String {
    let text = "\(program.appID) \(program.matcher ?? "")"
    return Hexadecimal.encode(Array(SHA256.hash([UInt8](text.utf8)).prefix(12)))
  }

  /// What is wrong with a form.
  struct Fault: Error {
    var phrase: Phrase
  }

  /// Returns the changes of each application that is ticked.
  ///
  /// - Parameters:
  ///   - fields: The form.
  ///   - apps: The child's applications.
  /// - Returns: The changes with whole keys, a list for each application.
  /// - Throws: `Fault` if nothing is ticked or changed, or for what cannot be read.
  static func changes(
    _ fields: FormFields, _ apps: [KnownApplications.App]
  ) throws(Fault) -> [[RuleRequest.Change]] {
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
    return chosen.map { app in
      let limits = limit?.changes(of: AppRule.limit.end, replacing: app.limitedDays) ?? []
      return RuleRequest(common + limits).rules(of: app.id).changes
    }
  }

  /// Returns changes for as few requests as possible, those of one application together.
  static func batches(_ edits: [[RuleRequest.Change]]) -> [[RuleRequest.Change]] {
    edits.reduce(into: []) { batches, changes in
      if let last = batches.last, last.count + changes.count <= mostChanges {
        batches[batches.count - 1] += changes
      } else {
        batches.append(changes)
      }
    }
  }
}

extension ApplicationFilter {
  /// The query that leads back to the same applications; a text that would need an escape is left
  /// out.
  var query: String {
    let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
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
