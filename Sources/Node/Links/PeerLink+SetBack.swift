import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore

/// A machine that was set back. Spec: Protocol/05-delivery.md §5.
extension PeerLink {
  /// Asks a child's machine for a report, if this machine was restored to an earlier state.
  func askAfterSetBack() async {
    guard context.profile.role == .parent, record.device.role == .child, record.state == .active else { return }
    let wall = context.wall()
    let id = context.nextCommandID(wall)
    do throws(StoreError) {
      guard try await context.store.askAfterSetBack(peer, with: id) else { return }
      let issued = try await context.store.issue(id, to: peer, at: wall) { _, _ in .requestReport }
      logger.notice("this machine was set back; the peer is asked what it holds")
      committed(issued.change)
      context.expiryChanges.notify()
      context.changes.notify()
    } catch {
      // The next session asks again.
      logger.warning("the peer could not be asked what it holds", metadata: ["reason": "\(error)"])
    }
  }
}
