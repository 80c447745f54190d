import LatchkeyModel
import LatchkeyRules

extension Facts {
  /// Checks whether the node runs, with the node's own warnings.
  func checkNode(_ findings: inout [Finding]) {
    switch node {
    case .absent(let sentence):
      let (fault, next) = Self.split(sentence)
      findings.add("node-not-running", .fault, fault, next: next)
    case .running(let status, _):
      // What the machine reports to parents as well is told with its conditions.
      let own = Set(conditions.filter(\.isOwn).compactMap { ConditionKind.named($0.condition.name)?.ownWarning })
      for warning in status.warnings where !own.contains(warning) {
        findings.add("node-warning", .warning, warning, next: "See `latchkey status`.")
      }
    }
  }

  /// Splits a sentence of the form “fault: next step” at its colon.
  private static func split(_ sentence: String) -> (fault: String, next: String) {
    guard let colon = sentence.range(of: ": ") else { return (sentence, "") }
    let next = String(sentence[colon.upperBound...])
    return (sentence[..<colon.lowerBound] + ".", next.prefix(1).uppercased() + next.dropFirst())
  }

  /// Checks whether the state folder was made on this machine.
  func checkMachine(_ findings: inout [Finding]) {
    switch machine {
    case .same, .unreadable: break
    case .other:
      findings.add(
        "other-machine", .fault,
        "The state folder comes from another machine, or this machine's /etc/machine-id has changed.",
        next:
          "Run `latchkey identity keep` if this machine takes that one's place, or `latchkey identity renew` if the "
          + "folder is a copy.")
    case .unknown:
      findings.add(
        "machine-unknown", .information,
        "This machine has no /etc/machine-id, so a copy of the state folder would not be noticed.",
        next: "Make one with `systemd-machine-id-setup` unless this is a container.")
    }
  }

  /// Checks the conditions that children's machines report.
  ///
  /// Spec: Protocol/10-household.md §6.
  func checkConditions(_ findings: inout [Finding]) {
    for listing in conditions {
      let machine = listing.isOwn ? "this machine" : "“\(listing.deviceName)”"
      let heard = self.heard(listing)
      let condition = listing.condition
      guard let kind = ConditionKind.named(condition.name) else {
        findings.add(
          "machine-condition", .information,
          "A newer Latchkey on \(machine) tells of “\(condition.name)”, which this one does not know\(heard).",
          next: "Update Latchkey on this machine.")
        continue
      }
      // An account that no longer exists has no name.
      let account = listing.accountName ?? condition.account.map { "\($0)" } ?? ""
      let terms = self.terms[listing.deviceID] ?? RuleTerms()
      let words = kind.words(
        on: machine, account: account, detail: condition.detail, whose: terms.whose, app: terms.words(for: condition),
        children: listing.children.map(\.text), isHere: listing.isOwn)
      let sentence = heard.isEmpty ? words.sentence : words.sentence.dropLast() + heard + "."
      findings.add(condition.name, Severity(kind.weight), sentence, next: words.next)
    }
  }

  /// Returns when a machine that is not connected was last heard.
  private func heard(_ listing: ConditionListing) -> String {
    guard !listing.isOwn, let status,
      status.peers.first(where: { $0.device.deviceID == listing.deviceID })?.isConnected != true,
      let at = listing.heardAt
    else { return "" }
    return " (last heard \(SpanText.of(max(0, clock.now - at))) ago)"
  }

  /// Checks what carries notices to phones and home automation.
  ///
  /// Spec: Protocol/14-bridge.md §1.
  func checkReceivers(_ findings: inout [Finding]) {
    for receiver in receivers {
      guard receiver.isRunning else {
        findings.add(
          "receiver-not-running", .warning,
          "The bridge of the receiver “\(receiver.name)” does not run, so that it is told nothing.",
          next: "Start it with `systemctl --user enable --now latchkey-bridge@\(receiver.name)`, or remove it with "
            + "`latchkey receivers remove \(receiver.name)`.")
        continue
      }
      guard let fault = receiver.fault else { continue }
      let since = receiver.faultSince.map { " for \(SpanText.of(max(0, clock.now - $0)))" } ?? ""
      findings.add(
        "receiver-fault", .warning, "Something has been wrong with the receiver “\(receiver.name)”\(since): \(fault)",
        next: "`latchkey receivers` shows when it works again; nothing that still matters is lost until then.")
    }
  }

  /// Checks the clocks, for information only, since no decision of Latchkey depends on them.
  func checkClocks(_ findings: inout [Finding]) {
    if clock.isSynchronised == false {
      findings.add(
        "clock-unsynchronised", .information,
        "No time service keeps this machine's clock right, so times may look odd; nothing else hangs on it.",
        next: "Switch one on with `sudo timedatectl set-ntp true`.")
    }
    var ahead: [String: Int64] = [:]
    for stamp in clock.stamps { ahead[stamp.device] = max(ahead[stamp.device] ?? .min, stamp.at) }
    for (device, at) in ahead.sorted(by: { $0.key < $1.key }) where at > clock.now + 60_000 {
      findings.add(
        "clock-difference", .information,
        "The clock of “\(device)” is at least \(SpanText.of(at - clock.now)) ahead of this machine's.",
        next: "Compare both with a watch; times of use may look odd, and nothing else hangs on them.")
    }
  }
}

extension Severity {
  fileprivate init(_ weight: ConditionKind.Weight) {
    self =
      switch weight {
      case .information: .information
      case .warning: .warning
      case .fault: .fault
      }
  }
}
