import LatchkeyModel
import LatchkeyStore

/// A kind of caller of the local API.
///
/// Each endpoint lists the kinds that it accepts.
///
/// Spec: Protocol/07-local-api.md §5.
package enum Principal: String, Hashable, Sendable, CaseIterable {
  case nodeUser = "node-user"
  case root
  /// An account that a parent has assigned to a child whom this machine serves.
  case child
  /// An account that several children share, and none has said who is there.
  case sharedAccount = "shared-account"
  case account
  /// A bridge, which is known by the token of a receiver that a parent has set up.
  case integration
  /// A browser that a parent has let in with the right `parent`, which is known by its cookie.
  case browser
  /// A browser that a parent has let in with the right `look`.
  case lookingBrowser = "looking-browser"
}

extension Set<Principal> {
  /// The principals that have full access.
  package static let operators: Self = [.nodeUser, .root]
  /// The principals of an endpoint that a child may use for itself.
  ///
  /// Its handler takes the child from `Call.child`, so that a child never asks about another one.
  package static let operatorsAndChild: Self = [.nodeUser, .root, .child]
  /// The principals of an endpoint that a receiver may use as well.
  ///
  /// Its handler counts the result of `Call.deed` in the transaction that changes anything.
  package static let operatorsAndReceivers: Self = [.nodeUser, .root, .integration]
  /// The principals of an endpoint that a child may use for itself, and a receiver for all
  /// children.
  package static let operatorsChildAndReceivers: Self = [.nodeUser, .root, .child, .integration]
  /// The principals of an endpoint that says who is there in an account.
  ///
  /// Its handler learns from the household whose account it is, and says nothing about one child
  /// alone while several may be there.
  package static let operatorsAndSharers: Self = [.nodeUser, .root, .child, .sharedAccount]
}

/// The browsers that may use an endpoint, among those that were let in.
///
/// Spec: Protocol/15-pages.md §7.
package enum BrowserUse: Hashable, Sendable {
  case nothing
  case parent
  /// Those with either right may use it, since it changes nothing.
  case look

  var principals: Set<Principal> {
    switch self {
    case .nothing: []
    case .parent: [.browser]
    case .look: [.browser, .lookingBrowser]
    }
  }
}

package struct Caller: Hashable, Sendable {
  package var principal: Principal
  /// The user ID, as the kernel reports it.
  package var userID: UInt32
  /// The child whose account it is, for `Principal.child` alone.
  package var child: ServedChild?
  /// The receiver with its rights, for `Principal.integration` alone.
  var receiver: StoredReceiver?
  /// The browser that was let in, for `Principal.browser` and `lookingBrowser` alone.
  var browser: BrowserListing?
  /// The key by which a receiver's deed, or a person's edit, is recognized when it is asked for
  /// again; `nil` for none.
  var key: String?

  package init(principal: Principal, userID: UInt32, child: ServedChild? = nil) {
    (self.principal, self.userID, self.child) = (principal, userID, child)
  }

  init(_ receiver: StoredReceiver, userID: UInt32, key: String? = nil) {
    self.init(principal: .integration, userID: userID)
    (self.receiver, self.key) = (receiver, key)
  }

  init(_ browser: BrowserListing, userID: UInt32, key: String? = nil) {
    self.init(principal: browser.right == .parent ? .browser : .lookingBrowser, userID: userID)
    (self.browser, self.key) = (browser, key)
  }

  static func isKey(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
  }
}

extension Caller {
  /// Creates a caller from the kernel's description of the other end of a connection.
  ///
  /// `owner` returns the child who uses an account; `nil` if it is no child's. `isShared` returns
  /// whether several children share an account, and none has said who is there.
  init(
    _ credentials: PeerCredentials, ofNodeOf user: UInt32, owner: (UInt32) async -> ServedChild? = { _ in nil },
    isShared: (UInt32) async -> Bool = { _ in false }
  ) async {
    switch credentials.userID {
    case user: self.init(principal: .nodeUser, userID: credentials.userID)
    case 0: self.init(principal: .root, userID: 0)
    case let account:
      if let child = await owner(account) {
        self.init(principal: .child, userID: account, child: child)
      } else {
        self.init(principal: await isShared(account) ? .sharedAccount : .account, userID: account)
      }
    }
  }
}

package struct ServedChild: Hashable, Sendable {
  package var id: ChildID
  package var name: DeviceName
  /// A Boolean value that indicates whether the machine serves no other child.
  package var isOnlyOne: Bool
}
