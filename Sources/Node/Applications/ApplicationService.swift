import Dispatch
import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeySystem

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
