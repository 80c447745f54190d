import LatchkeyHousehold
import LatchkeyModel

extension NodeService {
  /// Returns the child who owns an account of this machine; `nil` if a parent has not assigned it to a child whom the
  /// machine serves.
  ///
  /// On the machine of one child, the rules hold for accounts that are not assigned, but such an account may be that of
  /// a service or of a guest: it is told nothing about the child.
  ///
  /// Spec: Protocol/07-local-api.md §5.
  public func owner(ofAccount uid: UInt32) async throws(LocalAPIError) -> ServedChild? {
    guard context.profile.role == .child else { return nil }
    let household = try await household()
    let served = household.children(of: context.own)
    guard let owner = household.owner(of: uid, on: context.own) ?? nil, served.contains(owner),
      let name = household.name(of: owner)
    else { return nil }
    return ServedChild(id: owner, name: DeviceName(sanitising: name), isOnlyOne: served.count == 1)
  }
}
