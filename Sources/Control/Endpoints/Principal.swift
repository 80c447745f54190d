/// A kind of caller of the local API.
///
/// Each endpoint lists the kinds that it accepts.
///
/// Spec: Protocol/07-local-api.md §5.
package enum Principal: String, Hashable, Sendable, CaseIterable {
  /// The user who runs the node.
  case nodeUser = "node-user"
  /// The superuser of the machine.
  case root
  /// Another account of the machine, such as a child's.
  case account
  /// A session of a browser.
  case browser
}

extension Set<Principal> {
  /// The principals that have full access.
  package static let operators: Self = [.nodeUser, .root]
}

/// The program that sent a request.
package struct Caller: Hashable, Sendable {
  package var principal: Principal
  /// The user ID, as the kernel reports it.
  package var userID: UInt32

  package init(principal: Principal, userID: UInt32) {
    self.principal = principal
    self.userID = userID
  }
}

extension Caller {
  /// Creates a caller from the kernel's description of the other end of a connection.
  ///
  /// - Parameters:
  ///   - credentials: The kernel's description.
  ///   - owner: The user ID of the node's user.
  init(_ credentials: PeerCredentials, ofNodeOf owner: UInt32) {
    let principal: Principal =
      switch credentials.userID {
      case owner: .nodeUser
      case 0: .root
      default: .account
      }
    self.init(principal: principal, userID: credentials.userID)
  }
}
