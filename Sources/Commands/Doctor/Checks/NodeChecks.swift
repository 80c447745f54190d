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

  /// Checks who may read and write the state folder.
  func checkFolder(_ findings: inout [Finding]) {
    guard folder.exists, let top = folder.entries.first else { return }
    if let link = folder.entries.first(where: \.isLink) {
      findings.add(
        "folder-link", .fault, "\(link.path) is a symbolic link, and a node follows none.",
        next: link.path == top.path ? "Name the folder itself with --state-dir." : "Put the file itself in its place.")
    }
    if let named = folder.entries.first(where: { $0.names > 1 }) {
      findings.add(
        "folder-names", .fault, "\(named.path) has \(named.names) names, so that others may change it.",
        next: "Put a copy of it in its place.")
    }
    if let parent = folder.exposedParent {
      findings.add(
        "folder-parent", .warning,
        "Any user of this machine may replace \(folder.path), since they may change \(parent).",
        next: "Run `chmod +t \(parent)`, or move the state folder elsewhere.")
    }
    let entries = folder.entries.filter { !$0.isLink }
    if folder.user != 0, let foreign = entries.first(where: { $0.owner != folder.user }) {
      findings.add(
        "folder-owner", .fault, "\(foreign.path) belongs to user \(foreign.owner), and you are user \(folder.user).",
        next: "Run this as that user, or give it back with `sudo chown -R \(folder.user) \(folder.path)`.")
    }
    let open = entries.filter { $0.mode & 0o077 != 0 }
    if !open.isEmpty {
      findings.add(
        "folder-open", top.mode & 0o077 != 0 ? .fault : .warning,
        "Others on this machine may use \(open[0].path) (mode \(String(open[0].mode & 0o7777, radix: 8))), which only its "
          + "owner should.", next: "Run `chmod -R go= \(folder.path)`.")
    }
    if let locked = entries.first(where: {
      $0.mode & ($0.path == top.path ? 0o700 : 0o600) != ($0.path == top.path ? 0o700 : 0o600)
    }) {
      findings.add(
        "folder-rights", .fault,
        "Not even its owner may use all of \(locked.path) (mode \(String(locked.mode & 0o7777, radix: 8))).",
        next: "Run `chmod u+rwX \(locked.path)`.")
    }
  }

  /// Checks the disk: its free space, and how fast it makes writes durable.
  func checkDisk(_ findings: inout [Finding]) {
    guard folder.exists else { return }
    // The free bytes below which the disk counts as full and as nearly full.
    let (full, scarce): (Int64, Int64) = (4 << 20, 100 << 20)
    if folder.isReadOnly {
      return findings.add(
        "disk-read-only", .fault, "The disk of \(folder.path) is mounted read-only.",
        next: "Look for its cause with `dmesg`, mend the file system, and mount it writable again.")
    }
    if status?.disk?.state == .full {
      findings.add(
        "disk-full", .fault,
        "The disk of \(folder.path) has too little room for new work (\((folder.freeBytes ?? 0) >> 20) MB left): what is stored "
          + "is still read and delivered.", next: "Make room on it; the node goes on by itself.")
    } else if let free = folder.freeBytes, free < scarce {
      findings.add(
        free < full ? "disk-full" : "disk-scarce", free < full ? .fault : .warning,
        "The disk of \(folder.path) has \(free >> 20) MB left.", next: "Make room on it.")
    } else if let fault = folder.writeFault {
      findings.add(
        "disk-fault", .fault, "Nothing can be written to \(folder.path) (\(fault)).",
        next: "Look at the folder's rights and at its disk.")
    }
    if let time = folder.syncMicroseconds {
      if time >= 200_000 {
        findings.add(
          "disk-slow", .warning,
          "The disk of \(folder.path) takes \(time / 1_000) ms to make a small write durable, so everything here waits for it.",
          next: "See what else writes to it, or put the state on another disk with --state-dir.")
      } else {
        let rate = 1_000_000 / max(1, time)
        findings.add("disk-rate", .information, "The disk makes about \(rate) small writes durable a second.")
      }
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
