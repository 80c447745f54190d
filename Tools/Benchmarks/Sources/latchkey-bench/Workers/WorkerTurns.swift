import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode

/// The actions of a worker's nodes, one for each line of the controlling process.
struct WorkerTurns {
  let nodes: [NodeService]

  func run() async throws {
    say("up \(Durations.now())")
    let lines = AsyncStream<String> { continuation in
      // Reading blocks, which threads that run tasks must not do.
      Thread.detachNewThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
    for await line in lines {
      let words = line.split(separator: " ").map(String.init)
      guard let word = words.first else { continue }
      try await turn(word, words.dropFirst().map { $0 })
    }
  }

  private func turn(_ word: String, _ words: [String]) async throws {
    let numbers = words.compactMap { Int($0) }
    switch word {
    case "invite": try await invite(nodes[0])
    case "join": try await join(nodes[numbers[0]], code: words[1])
    case "connected":
      while await nodes[0].connectedDevices().count < numbers[0] { await nodes[0].waitForChange(milliseconds: 50) }
      say("connected \(Durations.now())")
    case "port":
      say("port \(try await nodes[0].ask(Endpoints.getStatus).listening.first?.split(separator: ":").last ?? "")")
    case "issue", "keep":
      let load = try await NodeLoad(nodes[0], usage: word == "keep")
      let began = Durations.now()
      let last = try await load.issue(numbers[0], size: numbers[1], concurrency: numbers[2])
      say("issued \(began) \(Durations.now()) \(last)")
    case "stored", "kept":
      let load = try await NodeLoad(nodes[0], usage: word == "kept")
      say("stored \(await load.stored(beyond: UInt64(numbers[0])))")
    case "relay", "report": say("relayed \(try await relay(word == "report", numbers))")
    case "decide":
      DecisionBench(family: BenchFamily(), days: numbers[0]).decide()
      say("decided")
    case "all": say("all \(try await all(numbers[0], size: numbers[1]))")
    default: throw BenchFault("A worker does not know “\(word)”.")
    }
  }

  private func invite(_ node: NodeService) async throws {
    var progress = try await node.ask(Endpoints.invite, InviteRequest(acceptWithoutAsking: true))
    say("code \(progress.code ?? "")")
    while progress.phase != .ended {
      progress = try await node.ask(Endpoints.waitForPairing, (progress.pairingID, progress.change))
    }
    say("paired \(progress.outcome?.rawValue ?? "")")
  }

  private func join(_ node: NodeService, code: String) async throws {
    var progress = try await node.ask(Endpoints.join, JoinRequest(code: code))
    while progress.phase != .ended {
      progress = try await node.ask(Endpoints.waitForPairing, (progress.pairingID, progress.change))
    }
    guard progress.outcome == .ok else { throw BenchFault(progress.sentence ?? "Not paired.") }
    say("joined ok")
  }

  private func relay(_ isUsage: Bool, _ numbers: [Int]) async throws -> String {
    let load = try await NodeLoad(nodes[0], usage: isUsage)
    let (times, asked, accepted) = try await load.relay(numbers[0], size: numbers[1], concurrency: numbers[2])
    return "\(times.began) \(times.ended) \(asked.text) \(accepted.text)"
  }

  /// Sends one command after another to all connected devices, each once all have stored the one
  /// before.
  private func all(_ count: Int, size: Int) async throws -> String {
    let node = nodes[0]
    let devices = await node.connectedDevices()
    let text = String(repeating: "m", count: size)
    var durations = Durations()
    for _ in 0..<count {
      let began = Durations.now()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for device in devices {
          group.addTask {
            let sequence = try await node.send(.message(text), to: device).sequence
            var through: UInt64 = 0
            while through < sequence { through = await node.stored(by: device, .command, after: through) }
          }
        }
        try await group.waitForAll()
      }
      durations.record(Durations.now() - began)
    }
    return "\(devices.count) \(durations.text)"
  }
}
