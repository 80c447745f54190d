import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// A question about a machine that was paired, each of which may be skipped.
struct SetupQuestion: Hashable, Sendable {
  enum Kind: String, Hashable, Sendable {
    case owner
    case account
    case limit
    case bedtime
  }

  var kind: Kind
  /// The child that it is about; `nil` for `owner`.
  var child: ChildID?

  /// The question in an address, such as `limit-019b…`.
  var key: String { child.map { "\(kind.rawValue)-\($0.description)" } ?? kind.rawValue }
}

/// What the questions about a machine follow from.
struct SetupState: Sendable {
  var device: RegisteredDevice
  var children: [ChildListing]
  var accounts: [AccountListing]
  /// The keys of the rules of each of the owners.
  var rules: [ChildID: [RegisterKey]]

  /// Asks the node.
  ///
  /// - Throws: `LocalAPIError`, and `PageFault` if no such machine is a child's.
  static func read(_ node: any NodeInterface, _ device: String) async throws -> SetupState {
    let peers = try await node.ask(Endpoints.getDevices)
    let peer = try MachinePage.peer(device, peers)
    guard peer.device.role == .child else {
      throw PageFault(400, "That is a parent's machine, which belongs to no child: choose a child's.")
    }
    let children = try await node.ask(Endpoints.getChildren)
    var state = SetupState(
      device: peer.device, children: children,
      accounts: try await node.ask(Endpoints.getAccounts, peer.device.deviceID.description), rules: [:])
    for child in state.owners {
      let rules = try await node.ask(Endpoints.getRules, child.childID.description)
      state.rules[child.childID] = (rules.rules + rules.family).map(\.key)
    }
    return state
  }

  var owners: [ChildListing] { children.filter { $0.machines.contains(device.name) } }

  /// A Boolean value that indicates whether the machine was paired for a child and is not that
  /// child's yet, since it has not been in touch.
  var isWaiting: Bool { device.childName != nil && owners.isEmpty }

  /// All questions in their order, also those that are answered.
  private var all: [SetupQuestion] {
    [SetupQuestion(kind: .owner, child: nil)]
      + owners.map(\.childID).flatMap { child in
        [.account, .limit, .bedtime].map { SetupQuestion(kind: $0, child: child) }
      }
  }

  /// Returns the next question that is open, from one on or after it; `nil` if there is none.
  func next(from key: String?, isAfter: Bool = false) -> SetupQuestion? {
    let start = all.firstIndex { $0.key == key }
    return all[(start.map { isAfter ? $0 + 1 : $0 } ?? 0)...].first(where: isOpen)
  }

  private func isOpen(_ question: SetupQuestion) -> Bool {
    guard let child = owners.first(where: { $0.childID == question.child }) else {
      return question.kind == .owner && device.childName == nil && owners.isEmpty
    }
    let keys = rules[child.childID] ?? []
    switch question.kind {
    case .owner: return false
    case .account: return !hasAccount(child) && (accounts.isEmpty || !choices(of: child).isEmpty)
    case .limit:
      let limit = ChildRule.dailyLimit.key.text
      // Weekdays may have limits of their own alone.
      return !keys.contains { $0.text == limit || $0.text.hasPrefix(limit + "/") }
    case .bedtime: return !keys.contains { $0.text == ChildRule.bedtime.key.text }
    }
  }

  /// Returns whether an account of the machine is a child's, or one that it shares.
  func hasAccount(_ child: ChildListing) -> Bool {
    accounts.contains { $0.owner == .child && $0.childNames.contains(child.name) }
  }

  /// Returns the accounts that can be a child's: those that nobody has assigned, and then those of
  /// other children, with whom it shares them.
  func choices(of child: ChildListing?) -> [AccountListing] {
    accounts.filter { $0.owner == .open }
      + accounts.filter { listing in
        listing.owner == .child && listing.childNames.count < AccountOwners.most
          && child.map { !listing.childNames.contains($0.name) } ?? false
      }
  }
}
