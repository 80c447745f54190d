import LatchkeyModel
import LatchkeyNode

/// Reads from the node what a status bar shows.
struct WidgetSource: Sendable {
  let open: @Sendable () async throws -> any NodeInterface

  /// Returns what to show now; without an answer, a line that says so.
  func line() async -> WidgetLine {
    let language = TerminalEnvironment.current.language
    do {
      let node = try await open()
      do { return WidgetLine(try await Self.ownDay(node), in: language) } catch {
        switch error.code {
        case .wrongRole: return try await Self.parentsLine(node)
        case .unknownChild:
          guard let unnamed = try await node.ask(Endpoints.getPresence).unnamed else { throw error }
          return WidgetLine(unnamed, in: language)
        default: throw error
        }
      }
    } catch { return WidgetLine(away: error, in: language) }
  }

  /// Returns the day of the child whose account it is, or whose machine it is alone.
  private static func ownDay(_ node: any NodeInterface) async throws(LocalAPIError) -> ChildToday {
    do { return try await node.ask(Endpoints.getOwnToday) } catch {
      // Those who keep a machine may see its only child's day.
      guard error.code == .unknownChild, let children = try? await node.ask(Endpoints.getChildren),
        let child = children.first, children.count == 1
      else { throw error }
      return try await node.ask(Endpoints.getToday, child.childID.description)
    }
  }

  private static func parentsLine(_ node: any NodeInterface) async throws(LocalAPIError) -> WidgetLine {
    let status = try await node.ask(Endpoints.getStatus)
    let connected = Set(status.peers.filter(\.isConnected).map(\.device.name))
    var days: [(ChildToday, Bool)] = []
    for child in try await node.ask(Endpoints.getChildren) where !child.machines.isEmpty {
      let day = try await node.ask(Endpoints.getToday, child.childID.description)
      days.append((day, !connected.isDisjoint(with: child.machines)))
    }
    // The same as `latchkey status` shows and `latchkey_warnings` counts.
    let conditions = try await node.ask(Endpoints.getConditions).filter(\.isWarning).compactMap {
      $0.words(on: "“\($0.deviceName)”")?.sentence
    }
    return WidgetLine(
      requests: try await node.ask(Endpoints.getRequests, nil), days: days, warnings: status.warnings + conditions)
  }

  /// Calls a closure with each change that the node tells of, until the node stops.
  func follow(_ changed: @escaping @Sendable () -> Void) async throws {
    for await change in try await open().ask(Endpoints.changeEvents, nil) where change.about != .command { changed() }
  }
}
