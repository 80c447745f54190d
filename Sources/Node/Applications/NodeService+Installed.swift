import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The applications that children's machines have found on themselves.
///
/// Spec: Protocol/10-household.md §5.
extension NodeService {
  /// The time for which a request waits for a list, in milliseconds.
  private static let patience: Int64 = 5_000

  /// Returns the applications of children's machines; on a child's node its own.
  ///
  /// With `number`, this waits up to 5 s for a list of that number or a later one.
  public func installedApps(
    device: String?, number: UInt64?
  ) async throws(LocalAPIError) -> [InstalledListing] {
    let deadline = context.now() + Self.patience
    while true {
      let seen = context.changes.version
      let found = try await installedListings(device)
      let rest = deadline - context.now()
      let isKnown = number.map { number in found.allSatisfy { $0.number >= number } } ?? true
      if isKnown || rest <= 0 || Task.isCancelled { return found }
      await context.changes.wait(after: seen, milliseconds: rest)
    }
  }

  private func installedListings(_ text: String?) async throws(LocalAPIError) -> [InstalledListing] {
    let household = try await household()
    if context.profile.role == .child {
      return [try await listing(context.own, context.name, household.children.map(\.id), household)]
    }
    var machines = household.machines
    if let text {
      let found = try await find(text).device
      machines = machines.filter { $0.device == found.deviceID }
      guard !machines.isEmpty else {
        throw LocalAPIError(
          .wrongRole, "“\(found.name)” is no child's machine: name one that `latchkey devices list` shows as child.")
      }
    }
    var listings: [InstalledListing] = []
    for machine in machines {
      listings.append(
        try await listing(machine.device, machine.name, household.children(of: machine.device), household))
    }
    return listings
  }

  private func listing(
    _ device: DeviceID, _ name: DeviceName, _ children: [ChildID], _ household: Household
  ) async throws(LocalAPIError) -> InstalledListing {
    let known = try await installed(on: device)
    let rules = children.compactMap { child in
      household.name(of: child).map { (name: DeviceName(sanitising: $0), rules: household.rules(for: child)) }
    }
    return InstalledListing(
      deviceID: device, deviceName: name, children: children, toldAt: known?.toldAt, number: known?.number ?? 0,
      more: known?.more ?? 0,
      apps: (known?.apps ?? []).map { app in
        InstalledListing.App(
          appID: app.appID, displayName: app.name, version: app.version, suggestion: app.suggestion,
          settings: rules.map { child, rules in
            let set = rules.app(app.appID)
            return InstalledListing.Setting(
              childName: child, category: set.use?.category,
              isByDefault: rules.categoryByDefault(app.appID) != nil, isBlocked: set.isBlocked,
              isAlwaysAllowed: set.isAlwaysAllowed, limit: set.limit?.text)
          })
      })
  }

  private func installed(on device: DeviceID) async throws(LocalAPIError) -> KnownApplications? {
    try await stored { () async throws(StoreError) in try await context.store.installed(on: device) }
  }

  /// Returns the names of the applications on a child's machines; without a child, on all machines.
  func installedNames(of child: ChildID?, _ household: Household) async throws(LocalAPIError) -> [AppID: String] {
    let machines = child.map { household.machines(of: $0) } ?? household.machines
    let devices = context.profile.role == .child ? [context.own] : machines.map(\.device)
    var names: [AppID: String] = [:]
    for device in devices {
      for app in try await installed(on: device)?.apps ?? [] where names[app.appID] == nil {
        names[app.appID] = app.name
      }
    }
    return names
  }
}
