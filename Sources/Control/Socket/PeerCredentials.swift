/// Who is at the other end of a Unix socket, as the kernel wrote it down at connect(2).
///
/// Laid out as the kernel's `struct ucred`: three words of 32 bits in this order.
struct PeerCredentials: Hashable, Sendable {
  var processID: Int32
  var userID: UInt32
  var groupID: UInt32

  /// Say whether this caller may use the node of user `owner`: its own user, or root.
  ///
  /// Spec: Protocol/07-local-api.md §1
  func mayUseNode(of owner: UInt32) -> Bool {
    userID == owner || userID == 0
  }
}
