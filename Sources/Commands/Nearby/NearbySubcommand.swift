import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey nearby` subcommand.
struct NearbySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nearby", abstract: "List the machines that announce themselves on this network.",
    discussion: """
      Paired machines are listed by name. Of an open pairing code only the first two characters are announced. Machines that are \
      not paired with this one are counted. Anybody can make an announcement, and a machine that was switched off abruptly \
      can stay listed for some minutes; it is shown as not answering.

      Example: latchkey nearby --format json
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let environment = TerminalEnvironment.current
    let nearby = try await node.open().ask(Endpoints.getNearby)
    switch listing.format {
    case .json: try environment.console.write(JSONText.pretty(nearby))
    case .table: try environment.console.write(Self.page(nearby, now: environment.now()))
    }
  }

  static func page(_ nearby: NearbyMachines, now: Int64) -> String {
    var text = TableText.render(
      ["Machine", "Role", "Link", "Address"], spare: [1], wrap: [2, 3],
      rows: nearby.members.map { member in
        let more = member.addresses.count - 1
        return [
          member.name.text, member.role.rawValue, link(member, now: now),
          (member.addresses.first ?? "–") + (more > 0 ? " and \(more) more" : ""),
        ]
      }, empty: "No paired machine was found on this network.")
    if !nearby.invitations.isEmpty {
      let prefixes = nearby.invitations.joined(separator: ", ")
      text +=
        (nearby.invitations.count == 1
        ? "There is an open pairing code whose short form begins with \(ShownText.safe(prefixes))."
        : "There are open pairing codes whose short forms begin with \(ShownText.safe(prefixes)).").inWidth + "\n"
    }
    if nearby.others > 0 {
      let machines = ShownText.count(nearby.others, "other machine")
      text +=
        "\(machines) \(nearby.others == 1 ? "announces itself and is" : "announce themselves and are") not paired with this one."
        .inWidth + "\n"
    }
    if DiscoveryText.isUnusual(nearby.discovery) {
      let why = ShownText.safe(DiscoveryText.words(nearby.discovery))
      text += "This machine \(why)\(why.hasSuffix(".") ? "" : ".") Run `latchkey doctor` for details.".inWidth + "\n"
    }
    return text
  }

  /// The state of the link in a few words.
  private static func link(_ member: NearbyMachines.Member, now: Int64) -> String {
    if member.isConnected { return "connected" }
    let words = member.isAnswering == false ? "does not answer" : "not connected"
    return words + (member.lastSeenAt.map { ", seen \(ShownText.ago($0, now: now))" } ?? "")
  }
}
