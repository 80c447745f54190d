import LatchkeyModel

/// Every request of the local API, as the client writes it and the server reads it.
///
/// Spec: Protocol/07-local-api.md §3
package enum LocalRoute: Hashable, Sendable {
  case status
  case sync
  case syncNow(device: String?)
  case queue(device: String?, streamClass: StreamClass?, limit: Int)
  case queueEntry(device: String, streamClass: StreamClass, number: UInt64)
  case devices
  case nearby
  case unpair(device: String)
  case forget(device: String)
  case release(device: String)
  case invite
  case join
  case pairings
  case nearbyInvitations(after: Int)
  case pairing(id: String, after: Int)
  case answerPairing(id: String)
  case cancelPairing(id: String)
  case issue
  case commands(device: String?, limit: Int)
  case command(id: String)
  case waitForCommand(id: String)
  case cancelCommand(id: String)
  case markMessageRead(id: String)
  case apps(device: String?)
  case settings
  case usage(UsageQuery)
  case summaries(device: String?, from: String?, to: String?)
  case startUsage
  case endUsage(recordID: String)

  /// The methods in use.
  package enum Method: String, Sendable, Hashable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
  }

  package var method: Method {
    switch self {
    case .status, .sync, .queue, .queueEntry, .devices, .nearby, .pairings, .nearbyInvitations, .pairing, .commands,
      .command,
      .waitForCommand, .apps,
      .settings, .usage,
      .summaries:
      .get
    case .syncNow, .forget, .release, .invite, .join, .answerPairing, .issue, .markMessageRead, .startUsage,
      .endUsage:
      .post
    case .unpair, .cancelPairing, .cancelCommand: .delete
    }
  }

  /// Whether the node may keep the answer back for up to 25 s, until something changes.
  var isLongPoll: Bool {
    switch self {
    case .pairing, .cancelPairing, .nearbyInvitations, .waitForCommand, .sync: true
    default: false
    }
  }
}
