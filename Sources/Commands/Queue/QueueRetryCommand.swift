import ArgumentParser
import LatchkeyModel

/// The command `latchkey queue retry`.
struct QueueRetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Try at once to reach the machines that something waits for.",
    discussion: """
      It does not wait for the outcome: `latchkey sync now --wait` does.

      Example: latchkey queue retry --peer "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: ArgumentHelp("Only this machine.", valueName: "device"))
  var peer: String?

  private static func state(_ peer: PeerStatus) -> String {
    if peer.isConnected { return "connected" }
    return peer.address == nil ? "looked for; start `latchkey run` there if it is off" : "calling it now"
  }

  func run() async throws {
    let console = CommandEnvironment.current.console
    let peers = try await node.open().syncNow(device: peer)
    guard !peers.isEmpty else {
      throw CommandFailure(.unknownName, "No machines are paired: run `latchkey pair` here and on the other machine.")
    }
    for peer in peers {
      try console.write(
        "\(ShownText.quoted(peer.device.name)): \(Self.state(peer)), "
          + "\(StatusText.waiting(peer.queues)) waits\n")
    }
  }
}
