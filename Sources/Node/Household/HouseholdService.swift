import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeySystem
import Synchronization

/// A service that gives each child's machine its part of the household, on a parent.
///
/// A machine that was paired gets the registers that it is to hold. Once it has told what it holds,
/// it becomes the machine of the child that was named when it was paired.
///
/// Spec: Protocol/10-household.md §1, §2.
final class HouseholdService: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  /// Milliseconds before the next try after a fault of the disk.
  private static let pause: Int64 = 5_000
  /// The children that machines were paired for which serve others and stay theirs.
  private let unheeded = Mutex<[DeviceID: [String]]>([:])

  init(context: NodeContext, directory: LinkDirectory) {
    self.context = context
    self.directory = directory
  }

  func run() async {
    await context.householdNews.follow(retry: Self.pause, "the household could not be looked at", context.logger) {
      if context.profile.role == .parent { try await look() }
      return nil
    }
  }

  private func look() async throws(StoreError) {
    for device in try await context.store.machinesToIntroduce() {
      await publish(try await context.store.introduce(device, context.editMaker, at: context.wall()))
    }
    let household = try await context.readHousehold()
    for machine in household.machines where machine.isToBeAssigned {
      let served = household.children(of: machine.device).compactMap { household.name(of: $0)?.lowercased() }
      let named = ChildNames.split(machine.childName ?? "")
      let names = named.filter { served.isEmpty || served.contains($0.lowercased()) }
      let left = named.filter { !names.contains($0) }
      unheeded.withLock { $0[machine.device] = left.isEmpty ? nil : named }
      let changes = household.assigning(machine.device, to: names) {
        ChildID(bytes: context.nextCommandID(context.wall()).bytes)
      }
      await publish(
        try await context.store.edit(changes, context.editMaker, assigning: machine.device, at: context.wall()))
    }
    let now = try await context.readHousehold()
    try await showOwners(now)
    warn(of: now.unsupervised, now)
    let left = unheeded.withLock { unheeded in
      unheeded = unheeded.filter { device, names in now.lacks(names, on: device) }
      return unheeded
    }
    context.warn("unheeded", now.unheededSentence(left))
    warnOfTaken(now, try await FactNames.load(context))
    context.ownersKnown.notify()
    try await shareUse(of: now)
  }

  /// Warns of shared machines on which nothing is counted for a child.
  private func warn(of machines: [Household.Machine], _ household: Household) {
    let names = machines.map { "“\($0.name)”" }
    let account = machines.first?.accounts.first?.name ?? "emma"
    let child = household.children.first.map { ShellWord.person($0.name) } ?? "Emma"
    let first = machines.first.map { ShellWord.machine($0.name, $0.device) } ?? ""
    context.warn(
      "accounts",
      names.isEmpty
        ? nil
        : "Several children share \(names.joined(separator: ", ")), and no account there is a child's, so that nothing is counted: run "
          + "`latchkey accounts` to see them, and say whose one is, such as with `latchkey accounts assign \(account) --on "
          + "\(first) --child \(child)`, or `latchkey accounts ignore \(account) --on \(first)` for one that is no child's."
    )
  }

  private func warnOfTaken(_ household: Household, _ names: FactNames) {
    let taken = household.machines.flatMap { machine in
      household.taken(from: machine.device).compactMap { taken in
        household.name(of: taken.child).map { "“\(names[taken.by])” has taken \($0) from “\(machine.name)”" }
      }
    }
    context.warn(
      "owners",
      taken.isEmpty
        ? nil
        : "\(taken.joined(separator: "; ")): what is set here does not go there any more. `latchkey children` says what to do."
    )
  }

  /// Sends each machine what its children have used on others since Monday, and what is new.
  private func shareUse(of household: Household) async throws(StoreError) {
    let now = context.time.now
    var starts: [ChildID: Int64] = [:]
    for child in household.children {
      let boundary = household.rules(for: child.id).boundary
      starts[child.id] = boundary.start(of: boundary.day(containing: now).startOfWeek)
    }
    let known = starts
    let changes = try await context.store.shareUse(since: { known[$0] ?? now }, at: context.wall())
    await directory.committed(changes)
  }

  /// Writes the names of each machine's children where devices are listed.
  private func showOwners(_ household: Household) async throws(StoreError) {
    for machine in household.machines {
      let names = household.children(of: machine.device).compactMap { household.name(of: $0) }
      let text = ChildNames.joined(names)
      guard !names.isEmpty, machine.childName != text else { continue }
      try await context.store.rename(machine.device, to: nil, childName: text, at: context.wall())
      try await directory.refresh(machine.device)
      context.changes.notify()
    }
  }

  private func publish(_ result: EditResult) async {
    guard !result.changes.isEmpty else { return }
    await context.publish(result.changes, result.commands, isEdit: false, directory)
  }
}

extension Household {
  /// Returns whether a machine is not that of all the named children.
  func lacks(_ names: [String], on device: DeviceID) -> Bool {
    guard machines.contains(where: { $0.device == device }) else { return false }
    let served = Set(children(of: device).compactMap { name(of: $0)?.lowercased() })
    return !served.isSuperset(of: names.map { $0.lowercased() })
  }

  /// Returns a sentence on machines that were paired for other children than they serve, with the
  /// command that gives them to these.
  func unheededSentence(_ left: [DeviceID: [String]]) -> String? {
    let sentences = machines.compactMap { machine in
      left[machine.device].map { names in
        let wanted = names.joined(separator: " and ")
        let owners = children(of: machine.device).compactMap { name(of: $0) }.joined(separator: " and ")
        let place = ShellWord.machine(machine.name, machine.device)
        return
          "“\(machine.name)” was paired for \(wanted) and stays \(owners.isEmpty ? "as it was" : "\(owners)'s"), whose machine it "
          + "was before: `latchkey devices rename \(place) --child \(ShellWord.person(ChildNames.joined(names)))` makes it "
          + "\(wanted)'s."
      }
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }
}

extension NodeContext {
  var editMaker: EditMaker {
    EditMaker(
      nextID: { self.nextCommandID(self.wall()) }, payload: { CommandPayload(Edit($0)) },
      children: { HouseholdKey.children(servedIn: $0) },
      // So that days are right from the start.
      defaults: [RegisterChange(.family, "family/zone", LocalZone.name())])
  }
}

enum LocalZone {
  /// Returns the zone's IANA name, such as `Europe/Berlin`, by TZ, /etc/timezone or the target of
  /// /etc/localtime; `UTC` if none is known.
  static func name() -> String { name(variable: ProcessInfo.processInfo.environment["TZ"], etc: "/etc") }

  static func name(variable: String?, etc: String) -> String {
    let written = ProcFile.text("\(etc)/timezone")
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(etc)/localtime")
    for candidate in [variable.map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }, written, link] {
      if let candidate, let name = known(candidate) { return name }
    }
    return "UTC"
  }

  /// Returns the known zone that a name, or a path into a zoneinfo folder, denotes.
  private static func known(_ text: String) -> String? {
    var name = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if let folder = name.range(of: "zoneinfo/", options: .backwards) { name = String(name[folder.upperBound...]) }
    for variant in ["posix/", "right/"] where name.hasPrefix(variant) { name = String(name.dropFirst(variant.count)) }
    return TimeZone(identifier: name) == nil ? nil : name
  }
}
