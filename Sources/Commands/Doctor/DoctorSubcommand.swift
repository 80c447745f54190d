import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct DoctorSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Find out why machines do not find each other, or rules do not hold.",
    discussion: """
      Looks at this machine: its node, state folder, disk, network, firewall, VPN and mDNS; with --on at the way to one \
      paired machine as well. It also says what weakens the rules on children's machines, as they tell it: a child's account \
      that may become root, no agent, another program with limits. It changes nothing, works without the node, and says what only root may look at.

      The exit status is 0 when nothing is wrong, 1 with warnings, and 2 with faults.

      Example: latchkey doctor --on Emma
      """)

  @OptionGroup var listing: ListingOptions

  @Option(on: "Examine the connection to this paired machine.") var peer: String?

  func run() async throws {
    let environment = TerminalEnvironment.current
    let folder = listing.node.nodeFolder
    let request = try await ask(now: environment.now())
    let facts = await environment.gather(folder, request)
    var examination = Examination(facts)
    if folder == SystemNode.stateFolder, facts.folder.exists, facts.folder.entries.isEmpty {
      examination.findings.append(
        Finding(
          "folder-unlooked", .unchecked, "The files of this machine's own node were not looked at: only root can.",
          next: "Run `sudo latchkey doctor`."))
    }
    if let peer, case .absent = request.node {
      // After the node, which is first.
      examination.findings.insert(
        Finding(
          "peer-unlooked", .unchecked,
          "The way to “\(ShownText.safe(peer))” was not looked at: a running node alone knows where it may be.",
          next: "Start `latchkey run`, then run this again."), at: min(1, examination.findings.count))
    }
    switch listing.format {
    case .json: try console.write(JSONText.pretty(examination))
    case .table: try console.write(DoctorText.render(examination))
    }
    switch examination.worst {
    case nil, .information, .unchecked: return
    case .warning: throw ExitCode(1)
    case .fault: throw ExitCode(2)
    }
  }

  private func ask(now: Int64) async throws -> DoctorRequest {
    let interface: any NodeInterface
    let status: NodeStatus
    do {
      interface = try await listing.node.open()
      status = try await interface.ask(Endpoints.getStatus)
    } catch {
      return DoctorRequest(
        node: .absent(TerminalFailure(error)?.sentence ?? "The node does not answer."), peer: nil, stamps: [], now: now)
    }
    let nearby = try? await interface.ask(Endpoints.getNearby)
    var stamps: [ClockFacts.Stamp] = []
    let names = Dictionary(status.peers.map { ($0.device.deviceID, $0.device.name.text) }) { first, _ in first }
    let parents = Set(status.peers.filter { $0.device.role == .parent }.map(\.device.name))
    for rule in (try? await interface.ask(Endpoints.getApps, nil))?.flatMap(\.apps).flatMap(\.rules) ?? []
    where parents.contains(rule.setBy) { stamps.append(ClockFacts.Stamp(device: rule.setBy.text, at: rule.setAt)) }
    for session in (try? await interface.ask(Endpoints.getUsage, UsageQuery(limit: 20).parts))?.sessions ?? [] {
      if let name = names[session.record.device] {
        stamps.append(ClockFacts.Stamp(device: name, at: session.record.sessionEnd))
      }
    }
    let conditions = (try? await interface.ask(Endpoints.getConditions)) ?? []
    var terms: [DeviceID: RuleTerms] = [:]
    if !conditions.isEmpty {
      let known = await CommandTerms(at: interface)
      for listing in conditions { terms[listing.deviceID] = known.terms(on: listing.deviceID, listing.deviceName) }
    }
    return DoctorRequest(
      node: .running(status, nearby), peer: try peer.map { try DeviceSearch.find($0, among: status.peers) },
      stamps: stamps, conditions: conditions, receivers: (try? await interface.ask(Endpoints.getReceivers)) ?? [],
      browsers: (try? await interface.ask(Endpoints.getBrowsers)) ?? [], terms: terms, now: now)
  }
}

/// What the node answers for an examination.
struct DoctorRequest: Sendable {
  var node: NodeFacts
  /// The device to which the way is examined.
  var peer: PeerStatus?
  /// Times that arrived from other machines.
  var stamps: [ClockFacts.Stamp]
  /// What children's machines report about themselves.
  var conditions: [ConditionListing] = []
  var receivers: [ReceiverListing] = []
  var browsers: [BrowserListing] = []
  var terms: [DeviceID: RuleTerms] = [:]
  /// Unix milliseconds.
  var now: Int64
}

private enum DoctorText {
  /// Returns a paragraph for each finding, and a summary line.
  static func render(_ examination: Examination) -> String {
    let paragraphs = examination.findings.map { finding in
      let words = [finding.sentence, finding.next].filter { !$0.isEmpty }.joined(separator: " ")
      let text = FieldsText.render([(word(finding.severity), words)], width: 9)
      switch finding.severity {
      case .fault, .warning: return text.asWarning
      case .unchecked, .information: return text
      }
    }
    return paragraphs.joined() + summary(examination).inWidth + "\n"
  }

  private static func word(_ severity: Severity) -> String {
    switch severity {
    case .fault: "fault"
    case .warning: "warning"
    case .unchecked: "unseen"
    case .information: "note"
    }
  }

  private static func summary(_ examination: Examination) -> String {
    func count(_ severity: Severity) -> Int { examination.findings.count { $0.severity == severity } }
    var parts = [(Severity.fault, "fault"), (.warning, "warning")].filter { count($0.0) > 0 }.map {
      ShownText.count(count($0.0), $0.1)
    }
    if count(.unchecked) > 0 { parts.append("\(count(.unchecked)) not looked at") }
    return parts.isEmpty ? "Nothing is wrong here." : "In all: \(parts.joined(separator: ", "))."
  }
}
