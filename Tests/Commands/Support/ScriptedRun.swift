import Foundation
import LatchkeyModel
import LatchkeySystem

@testable import LatchkeyCommands

/// One run of the program in this process, with a node and a terminal of the tests.
struct ScriptedRun: Sendable {
  let node: ScriptedNode
  let console: ScriptedConsole
  let status: Int32

  /// Runs `latchkey` with arguments; `change` alters the environment of a machine in Berlin at
  /// `SampleValues.now`.
  init(
    _ arguments: [String], node: ScriptedNode = ScriptedNode(), console: ScriptedConsole = ScriptedConsole(),
    change: (inout TerminalEnvironment) -> Void = { _ in }
  ) async {
    var environment = Self.environment(node: node, console: console)
    change(&environment)
    self.node = node
    self.console = console
    status = await TerminalEnvironment.$current.withValue(environment) {
      await LatchkeyProgram.run(arguments: arguments)
    }
  }

  /// The same with a script for the node.
  init(
    _ arguments: String..., script: ScriptedNode.Script = ScriptedNode.Script(),
    console: ScriptedConsole = ScriptedConsole()
  ) async {
    await self.init(arguments, node: ScriptedNode(script), console: console)
  }

  static func environment(node: ScriptedNode, console: ScriptedConsole) -> TerminalEnvironment {
    TerminalEnvironment(
      console: console, variables: ["HOME": "/home/test"], chosenZone: TimeText.zone("Europe/Berlin"),
      now: { SampleValues.now }, openNode: { _ in node }, initialise: { _, _, _, _ in SampleValues.childID },
      keepIdentity: { _ in SampleValues.childName },
      renewIdentity: { _ in (SampleValues.childName, SampleValues.childID) },
      runNode: { _ in },
      gather: { folder, request in
        Facts(
          node: request.node, folder: FolderFacts(path: folder, syncMicroseconds: 500),
          interfaces: [("eth0", "192.168.1.5", 24), ("docker0", "172.17.0.1", 16)].map { name, address, prefix in
            NetworkInterface(
              index: 2, name: name, subnets: [IPAddress(address)].compactMap { $0 }.map { Subnet($0, prefix: prefix) })
          }, defaultInterface: "eth0", firewall: FirewallFacts(unread: .needsRoot),
          peer: request.peer.map { PeerFacts(status: $0, probes: []) }, clock: ClockFacts(now: request.now))
      }, startProgram: { _ in throw TerminalFailure(.internalFault, "No program here.") },
      reportPatience: .seconds(10), uptime: { 0 }, pause: { _ in try await Task.sleep(for: .seconds(86_400)) })
  }
}
