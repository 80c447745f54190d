import ArgumentParser
import LatchkeyModel

/// The command `latchkey devices list`.
struct DevicesListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the paired machines.",
    discussion: "Example: latchkey devices list --format json")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let environment = CommandEnvironment.current
    let devices = try await node.open().devices()
    switch listing.format {
    case .json: try environment.console.write(JSONText.pretty(devices))
    case .table:
      let now = environment.now()
      let rows = devices.map { peer in
        [
          peer.device.name.text, peer.device.role.rawValue, peer.device.childName ?? "–", peer.device.deviceID.short,
          DeviceText.link(peer),
          StatusText.waiting(peer.queues),
          peer.device.lastSeenAt.map { ShownText.ago($0, now: now) } ?? "never",
        ]
      }
      try environment.console.write(
        TableText.render(
          ["Machine", "Role", "Whose", "ID", "Link", "Waiting for it", "Last seen"], spare: [1, 3], rows: rows,
          empty: "No machines are paired with this one."))
    }
  }
}
