import LatchkeyModel
import LatchkeyNode

/// What the node says of the children that have machines, at one moment.
struct HomeSnapshot: Sendable {
  /// A child with what is published of it.
  struct Child: Sendable {
    var id: ChildID
    var name: String
    var state: ChildState
    var isFresh: Bool
  }

  /// The children by what stands for them in topics.
  var children: [String: Child] = [:]
  var requests: [RequestListing] = []

  /// Asks a node.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - before: What it said before, from which a lock is kept that no machine has confirmed a
  ///     change of.
  /// - Returns: What it says now.
  /// - Throws: The node's errors.
  static func read(_ node: any NodeInterface, before: HomeSnapshot?) async throws -> HomeSnapshot {
    var snapshot = HomeSnapshot()
    let connected = Set(try await node.ask(Endpoints.getStatus).peers.filter(\.isConnected).map(\.device.name))
    snapshot.requests = try await node.ask(Endpoints.getRequests, nil)
    for child in try await node.ask(Endpoints.getChildren) where !child.machines.isEmpty {
      let key = HomeTopics.child(child.childID)
      let day = try await node.ask(Endpoints.getToday, child.childID.description)
      let isFresh = !connected.isDisjoint(with: child.machines)
      let open = snapshot.requests.count { $0.childName == child.name && $0.state == .open }
      let state = ChildState(
        day, isFresh: isFresh, requests: open, waiting: child.untold.count, lock: before?.children[key]?.state.lock)
      snapshot.children[key] = Child(id: child.childID, name: child.name.text, state: state, isFresh: isFresh)
    }
    return snapshot
  }

  /// What is known while the node does not answer.
  var withoutNode: HomeSnapshot {
    var snapshot = self
    for key in snapshot.children.keys {
      snapshot.children[key]?.isFresh = false
      if let state = snapshot.children[key]?.state { snapshot.children[key]?.state = state.withoutNode }
    }
    return snapshot
  }

  /// The time after which it may differ although nothing happens; `nil` for never.
  var next: Duration? { children.values.compactMap(\.state.next).min() }
}
