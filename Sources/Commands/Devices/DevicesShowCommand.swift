import ArgumentParser
import LatchkeyModel

/// The command `latchkey devices show`.
struct DevicesShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one paired machine in full.",
    discussion: """
      Each address at which it may be is shown with how it was learnt, when it last worked, and why it last failed.

      Example: latchkey devices show "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Argument(help: "The machine's name, its ID, or the beginning of its ID.")
  var device: String

  func run() async throws {
    let environment = CommandEnvironment.current
    let peer = try DeviceChoice.find(device, among: await node.open().devices())
    switch listing.format {
    case .json: try environment.console.write(JSONText.pretty(peer))
    case .table: try environment.console.write(Self.page(peer, now: environment.now()))
    }
  }

  static func page(_ peer: PeerStatus, now: Int64) -> String {
    let device = peer.device
    var rows = [
      ("name", device.name.text), ("role", device.role.rawValue), ("device ID", device.deviceID.description),
      ("whose", device.childName ?? "–"), ("paired", ShownText.ago(device.pairedAt, now: now)),
      ("link", DeviceText.link(peer)),
      ("address", peer.address ?? "–"),
      ("last seen", device.lastSeenAt.map { ShownText.ago($0, now: now) } ?? "never"),
      ("last sync", device.lastSyncedAt.map { ShownText.ago($0, now: now) } ?? "never"),
      ("sync", SyncText.sentence(peer.sync, now: now)), ("waiting", StatusText.waiting(peer.queues)),
    ]
    rows += AddressText.lines(peer.addresses, now: now).enumerated().map { ($0 == 0 ? "known at" : "", $1) }
    for mark in peer.marks {
      if let sentence = DeviceText.sentence(mark, of: peer) { rows.append(("note", sentence)) }
    }
    if let error = peer.lastError { rows.append(("last error", error)) }
    rows.append(("identity key", device.identityKey))
    rows.append(("link key", device.linkKey))
    return rows.map { name, value in ShownText.row(name, value, width: 14) }.joined()
  }
}
