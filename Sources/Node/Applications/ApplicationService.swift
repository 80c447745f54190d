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
/// It looks at the node's start, when a parent asks, and when something has changed: what was
/// installed after a rule was set is closed by it as well.
///
/// Spec: Protocol/10-household.md §5.
struct ApplicationService: EffectCarrier {
  let context: NodeContext
  let directory: LinkDirectory
  let kind = ScanApplications.kind
  /// Milliseconds between two looks at whether anything has changed.
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

  /// Looks because a parent asked for it.
  func carryOut(_ effect: PendingEffect) async -> EffectOutcome {
    guard let found = await look(Self.places()) else {
      return .failed(
        reason: "What is installed could not be stored there: look at that machine's disk, and give the command again.")
    }
    return .done(StateInForce(found))
  }

  /// Looks what is installed, and keeps it; `nil` if it could not be stored.
  private func look(_ places: ApplicationPlaces) async -> ApplicationsScanned? {
    // Reading thousands of files must not keep the tasks of links waiting.
    let (list, matchers) = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let found = ApplicationScan.run(places)
        var list = EntryList(found.lazy.map(\.app))
        list.entries.sort { $0.appID < $1.appID }
        continuation.resume(returning: (list, Self.matchers(of: found)))
      }
    }
    do {
      let (number, changes) = try await context.store.setInstalled(list, matchers: matchers, at: context.wall())
      await directory.committed(changes)
      context.changes.notify()
      context.logger.debug("looked at what is installed", metadata: ["applications": "\(list.entries.count)"])
      return ApplicationsScanned(number: number, applications: list.entries.count + list.more)
    } catch {
      context.logger.error("the installed applications could not be kept", metadata: ["reason": "\(error)"])
      return nil
    }
  }

  /// Returns what recognizes applications, without what an agent would refuse.
  private static func matchers(of found: [FoundApplication]) -> [AppID: InstalledMatchers] {
    var matchers: [AppID: InstalledMatchers] = [:]
    for one in found where matchers[one.app.appID] == nil {
      let usable = one.matchers.filter { MatcherCheck.fault(of: $0) == nil }
      if !usable.isEmpty { matchers[one.app.appID] = InstalledMatchers(usable, isOwn: one.isOwn) }
    }
    let shared = Set(found.flatMap(\.shared)).filter { MatcherCheck.fault(of: $0) == nil }
    if !shared.isEmpty {
      matchers[.otherPrograms] = InstalledMatchers(
        shared.sorted { ($0.kind.rawValue, $0.value) < ($1.kind.rawValue, $1.value) })
    }
    return matchers
  }

  private static func places() -> ApplicationPlaces {
    ApplicationPlaces.current(
      environment: ProcessInfo.processInfo.environment,
      homes: SystemAccounts.homes(among: SystemAccounts.known(), ownUser: geteuid()))
  }
}
