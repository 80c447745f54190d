import LatchkeyModel
import LatchkeyStore

extension NodeService {
  /// Returns the conditions of children's machines; on a child's node its own.
  public func conditions() async throws(LocalAPIError) -> [ConditionListing] {
    let household = try await household()
    let known = try await stored { () async throws(StoreError) in try await context.store.conditions() }
    if context.profile.role == .child {
      let accounts = try await accounts(device: nil).map(\.account)
      return (known[context.own] ?? []).map { listing($0, of: context.own, context.name, accounts) }
    }
    let heard = Dictionary(
      try await listed().map { ($0.device.deviceID, $0.device.lastSeenAt) }, uniquingKeysWith: { first, _ in first })
    return household.machines.flatMap { machine in
      (known[machine.device] ?? []).map { condition in
        var listing = listing(condition, of: machine.device, machine.name, machine.accounts)
        listing.heardAt = heard[machine.device] ?? nil
        return listing
      }
    }
  }

  private func listing(
    _ condition: MachineCondition, of device: DeviceID, _ name: DeviceName, _ accounts: [Account]
  ) -> ConditionListing {
    ConditionListing(
      deviceID: device, deviceName: name, isOwn: device == context.own, condition: condition,
      accountName: condition.account.map { account in
        accounts.first { $0.uid == account }?.name ?? String(account)
      })
  }
}
