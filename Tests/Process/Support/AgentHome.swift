import Foundation
import LatchkeyModel
import LatchkeyNode

/// A family whose child's machine has an agent, and a program of the lab's own that the rules call
/// a game.
struct AgentHome {
  let lab: ProcessLab
  let mum: NodeProcess
  let pc: NodeProcess
  let game: String

  /// Makes the family; `variables` are those of the child's node, and `clocks` those of both nodes.
  init(_ lab: ProcessLab, variables: [String: String] = [:], clocks: MovableClocks? = nil) async throws {
    self.lab = lab
    let shared = clocks?.variables ?? [:]
    mum = try await lab.node(.parent, "Kitchen laptop", variables: shared)
    try await mum.start()
    pc = try await lab.node(.child, "Emma's PC", variables: variables.merging(shared) { $1 })
    await pc.enforce()
    try await pc.start()
    try await lab.pair(mum, pc)
    _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
    game = lab.newPath() + "-game"
    try copy(to: game)
    try await eventually("the agent has orders for the child") { [pc] in
      // Until the parent's word has arrived, the machine does not know whose it is.
      do { return try await pc.api.ask(Endpoints.getOwnToday).enforcement == .ownPrograms } catch is LocalAPIError {
        return false
      }
    }
  }

  /// Makes a program that sleeps and that no other program is, whatever runs beside the tests.
  func copy(to path: String) throws {
    var content = try Data(contentsOf: URL(fileURLWithPath: "/bin/sleep"))
    content.append(Data("\(path) \(UInt64.random(in: 0 ... .max))".utf8))
    try content.write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  func digest() async throws -> String {
    let output = try await lab.run("/usr/bin/sha256sum", [game]).output
    return String(output.prefix { $0 != " " })
  }

  /// Sets rules of the child, and waits until the agent carries out what follows from them.
  func set(_ rules: [(String, String?)]) async throws {
    let command = try await outcome(of: rules)
    guard command.stateInForce?.enforcement == .ownPrograms else { throw LabFault("It is not enforced: \(command)") }
  }

  /// Sets rules of the child, and returns what became of that on the child's machine.
  func outcome(of rules: [(String, String?)]) async throws -> ConfigurationCommand {
    let set = try await mum.api.ask(Endpoints.setRules, ("Emma", RuleRequest(rules.map { .init($0.0, $0.1) })))
    guard let command = set.commands.last else { throw LabFault("Nothing was sent.") }
    return try await mum.ended(command.commandID.description)
  }

  /// Starts the game, or another program, for some minutes.
  func play(_ words: [String]? = nil, seconds: [String] = ["600"]) throws -> SpawnedProcess {
    let words = (words ?? [game]) + seconds
    return try lab.spawn(words[0], Array(words.dropFirst()), output: "/dev/null", talk: "/dev/null")
  }

  /// Starts the game until it is left running: the agent may not have its new orders yet.
  func survivor() async throws -> SpawnedProcess {
    var game = try play()
    try await eventually("the game runs") {
      if !game.isRunning { game = try play() }
      return try await pc.api.ask(Endpoints.getStatus).running.contains { $0.displayName == "Kart" }
    }
    return game
  }

  /// The processes that run the game.
  var players: [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")) == game
    }
  }

  /// The process of the agent; `nil` if there is none.
  var agent: pid_t? { Self.agent(of: pc) }

  /// Returns the process of the agent of a node; `nil` if there is none.
  static func agent(of node: NodeProcess) -> pid_t? {
    let socket = node.folder + "/agent.sock"
    return ProcessLab.processes { $0.first?.hasSuffix("/latchkey-agent") == true && $0.contains(socket) }.first
  }
}
