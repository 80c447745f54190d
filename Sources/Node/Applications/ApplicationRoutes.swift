import Dispatch
import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeySystem

/// The applications that children's machines have found on themselves.
///
/// Spec: Protocol/10-household.md §5.
extension Endpoints {
  static let applicationRoutes: [any ServedEndpoint] = [getInstalled]

  package static let getInstalled = Endpoint(
    .get, "/v1/installed", Query.device,
    Query.number("number", "The number of a list, for which the answer waits up to 5 s."),
    whoMay: .operatorsAndChild, browsers: .look, waits: true, errors: [.unknownDevice, .ambiguousDevice, .wrongRole],
    summary: "The applications that children's machines have found on themselves; on a child its own."
  ) { call, device, number in
    let listings = try await call.installedApps(on: device, number)
    guard let child = call.caller.child else { return listings }
    return listings.map { $0.shown(to: child) }
  }
}

extension Call {
  /// Returns the applications of children's machines; on a child's node its own.
  ///
  /// With `number`, this waits up to 5 s for a list of that number or a later one.
  fileprivate func installedApps(on device: String?, _ number: UInt64?) async throws -> [InstalledListing] {
    try await once(within: 5_000) { call in
      let found = try await call.installedListings(device)
      return (found, number.map { number in found.allSatisfy { $0.number >= number } } ?? true)
    }
  }

  func installedListings(_ text: String?) async throws -> [InstalledListing] {
    let household = try await household()
    if role == .child { return [try await listing(own, context.name, household.children.map(\.id), household)] }
    var machines = household.machines
    if let text {
      let found = try await device(text).device
      machines = machines.filter { $0.device == found.deviceID }
      guard !machines.isEmpty else {
        throw LocalAPIError(
          .wrongRole,
          phrase: "“{machine}” is no child's machine: name one that `latchkey devices list` shows as child.",
          ["machine": .text(found.name.text)])
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
  ) async throws -> InstalledListing {
    let known = try await installed()[device]
    let rules = children.compactMap { child in
      household.name(of: child).map { (name: DeviceName(sanitising: $0), rules: household.rules(for: child)) }
    }
    return InstalledListing(
      deviceID: device, deviceName: name, children: children, toldAt: known?.toldAt, number: known?.number ?? 0,
      more: known?.more ?? 0,
      apps: (known?.entries ?? []).map { app in
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

  /// Returns the names of the applications on a child's machines; without a child, on all machines.
  func installedNames(of child: ChildID?, _ household: Household) async throws -> [AppID: String] {
    let machines = child.map { household.machines(of: $0) } ?? household.machines
    let devices = role == .child ? [own] : machines.map(\.device)
    let installed = try await installed()
    var names: [AppID: String] = [:]
    for app in devices.compactMap({ installed[$0]?.entries }).joined() where names[app.appID] == nil {
      names[app.appID] = app.name
    }
    return names
  }
}

/// The applications that a child's machine has found on itself, as `GET /v1/installed` lists them.
package struct InstalledListing: Hashable, Sendable, Codable {
  package struct App: Hashable, Sendable, Codable {
    package var appID: AppID
    package var displayName: String
    /// The version; empty if it is unknown.
    package var version: String
    package var suggestion: AppCategory?
    /// What is set for it, for each child whose machine it is.
    package var settings: [Setting]
  }

  package struct Setting: Hashable, Sendable, Codable {
    package var childName: DeviceName
    package var category: AppCategory?
    /// A Boolean value that indicates whether the category is a default, which no parent has set.
    package var isByDefault: Bool = false
    package var isBlocked: Bool = false
    package var isAlwaysAllowed: Bool = false
    /// The limit a day, as its rule is written.
    package var limit: String?
  }

  package var deviceID: DeviceID
  package var deviceName: DeviceName
  package var children: [ChildID]
  /// When the list became known here, in Unix milliseconds; `nil` without a list.
  package var toldAt: Int64?
  /// The number of the list; 0 for none, or while parts of one are on their way.
  package var number: UInt64 = 0
  /// The number of applications beyond those of the list.
  package var more: Int = 0
  package var apps: [App] = []

  func shown(to child: ServedChild) -> InstalledListing {
    var listing = self
    listing.children = children.filter { $0 == child.id }
    for index in listing.apps.indices { listing.apps[index].settings.removeAll { $0.childName != child.name } }
    return listing
  }
}

/// A service that has the parents of a child's machine know which applications are installed on it.
///
/// It looks at the node's start, when a parent asks, and when something has changed: rules also
/// close what is installed after they were set.
///
/// Spec: Protocol/10-household.md §5.
struct ApplicationService: EffectCarrier {
  let context: NodeContext
  let directory: LinkDirectory
  let kind = ScanApplications.kind
  private static let pause: Int64 = 30_000

  func run() async {
    var seen: [Int64]?
    await ChangeSignal().follow {
      guard context.profile.role == .child else { return nil }
      let places = Self.places()
      let mark = places.mark
      if mark != seen, await look(places) != nil { seen = mark }
      return Self.pause
    }
  }

  func carryOut(_ effect: PendingEffect) async -> EffectOutcome {
    guard let found = await look(Self.places()) else {
      return .failed(
        reason: "What is installed could not be stored there: look at that machine's disk, and give the command again.")
    }
    return .done(StateInForce(found))
  }

  /// Looks what is installed, and keeps it; `nil` if it could not be stored.
  private func look(_ places: ApplicationPlaces) async -> ApplicationsScanned? {
    do {
      let known = try await context.store.knownPrograms()
      // Reading thousands of files must not keep the tasks of links waiting.
      let seen = await withCheckedContinuation { continuation in
        DispatchQueue(label: "latchkey.applications").async {
          continuation.resume(returning: Seen(places, known))
        }
      }
      let household = try await context.readHousehold()
      let rules = household.children(of: context.own).map { household.rules(for: $0) }
      let settled = try await context.store.remember { known in
        var programs = OwnPrograms(known, for: rules)
        let settled = programs.settle(seen.found) { seen.present.contains($0) }
        known = programs.known
        return settled
      }
      var list = EntryList(settled.filter(\.isListed).map(\.app))
      list.entries.sort { $0.appID < $1.appID }
      let (number, changes) = try await context.store.setInstalled(
        list, matchers: Self.matchers(of: settled, shared: seen.shared), at: context.wall())
      await directory.committed(changes)
      context.changes.notify()
      context.logger.debug("looked at what is installed", metadata: ["applications": "\(list.entries.count)"])
      return ApplicationsScanned(number: number, applications: list.entries.count + list.more)
    } catch {
      context.logger.error("the installed applications could not be kept", metadata: ["reason": "\(error)"])
      return nil
    }
  }

  /// What a look has seen, without what an agent would refuse.
  private struct Seen: Sendable {
    let found: [OwnPrograms.Found]
    /// What recognizes programs that several entries start.
    let shared: [AppMatcher]
    /// The paths of known programs at which there is something now.
    let present: Set<String>

    init(_ places: ApplicationPlaces, _ known: KnownPrograms) {
      let all = ApplicationScan.run(places)
      found = all.map { one in
        OwnPrograms.Found(
          app: one.app, matchers: one.matchers.filter { MatcherCheck.fault(of: $0) == nil }, isOwn: one.isOwn)
      }
      shared = Set(all.flatMap(\.shared)).filter { MatcherCheck.fault(of: $0) == nil }
        .sorted { ($0.kind.rawValue, $0.value) < ($1.kind.rawValue, $1.value) }
      let paths = known.programs.filter { $0.file == nil && $0.matcher.value.hasPrefix("/") }.map(\.matcher.value)
      present = Set(paths.filter { access($0, F_OK) == 0 })
    }
  }

  private static func matchers(of settled: [OwnPrograms.Found], shared: [AppMatcher]) -> [AppID: InstalledMatchers] {
    var matchers: [AppID: InstalledMatchers] = [:]
    for one in settled where !one.matchers.isEmpty {
      matchers[one.app.appID] = InstalledMatchers(one.matchers, isOwn: one.isOwn)
    }
    if !shared.isEmpty { matchers[.otherPrograms] = InstalledMatchers(shared) }
    return matchers
  }

  private static func places() -> ApplicationPlaces {
    ApplicationPlaces.current(
      environment: ProcessInfo.processInfo.environment,
      homes: SystemAccounts.homes(among: SystemAccounts.known(), ownUser: geteuid()))
  }
}
