import ArgumentParser
import LatchkeyModel

/// The `latchkey nearby` subcommand.
struct NearbySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nearby", abstract: "Show what announces itself on this network.",
    discussion: """
      Paired machines are shown by name. Of an open pairing code only its first two symbols are known here, and of other \
      people's machines nothing but that they are there. An announcement is a hint: anybody can make one, and a machine \
      that was switched off without a word stays announced for some minutes; it then does not answer.

      Example: latchkey nearby --format json
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let environment = TerminalEnvironment.current
    let nearby = try await node.open().nearby()
    switch listing.format {
    case .json: try environment.console.write(JSONText.pretty(nearby))
    case .table: try environment.console.write(Self.page(nearby, now: environment.now()))
    }
  }

  static func page(_ nearby: NearbyMachines, now: Int64) -> String {
    var text = TableText.render(
      ["Machine", "Role", "Link", "Announced at"], spare: [1], wrap: [2, 3],
      rows: nearby.members.map { member in
        let more = member.addresses.count - 1
        return [
          member.name.text, member.role.rawValue, link(member, now: now),
          (member.addresses.first ?? "–") + (more > 0 ? " and \(more) more" : ""),
        ]
      }, empty: "No paired machine announces itself here.")
    if !nearby.invitations.isEmpty {
      let prefixes = nearby.invitations.joined(separator: ", ")
      text +=
        (nearby.invitations.count == 1
        ? "There is an open pairing code whose short form begins with \(ShownText.safe(prefixes))."
        : "There are open pairing codes whose short forms begin with \(ShownText.safe(prefixes)).").inWidth + "\n"
    }
    if nearby.others > 0 {
      let machines = ShownText.count(nearby.others, "other machine")
      text += "\(machines) that \(nearby.others == 1 ? "is" : "are") not paired with this one.".inWidth + "\n"
    }
    if DiscoveryText.isUnusual(nearby.discovery) {
      let why = ShownText.safe(DiscoveryText.words(nearby.discovery))
      text += "This machine \(why). `latchkey doctor` says more.".inWidth + "\n"
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
