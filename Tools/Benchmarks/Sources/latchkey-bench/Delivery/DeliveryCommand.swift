import ArgumentParser
import Foundation
import Glibc

/// The command `latchkey-bench delivery`: speed, latency and cost of messages, beside a broker.
struct DeliveryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delivery", abstract: "Relay messages between nodes over loopback, beside mosquitto and syncthing.",
    discussion: """
      Both sides commit with fsync and everything is encrypted. Each figure stands beside what was measured of its peer \
      in the same run, in turns. Run it with Tools/benchmark-delivery, where nothing can leave loopback.
      """)

  @Option(help: "The program that Tools/Benchmarks/mqtt-peer.c becomes.") var mqttPeer: String
  @Option(help: "Messages of a throughput run and of a drained queue.") var messages = 100_000
  @Option(help: "Bytes of text in each.") var size = 200
  @Option(help: "How many are under way at a time.") var concurrency = 2_048
  @Option(help: "How often each is repeated; the median counts.") var rounds = 5
  @Option(help: "Children that are connected to one parent.") var children = 1_000
  @Option(help: "Seconds that the idle child is watched.") var idle = 60
  @Option(help: "Only these, such as throughput,drain,single,return,children,growth,idle,api.") var only: String?
  @Option(help: "table or json.") var format = BenchFormat.table
  @Option(help: "Write the table and the JSON into this folder, too.") var save: String?

  func validate() throws {
    guard (1_000...400_000).contains(messages) else { throw ValidationError("Give --messages 1,000 to 400,000.") }
    guard (101...4_096).contains(size) else { throw ValidationError("Give --size 101 to 4,096 bytes.") }
    guard (1...4_096).contains(concurrency) else { throw ValidationError("Give --concurrency 1 to 4,096.") }
    guard (10...1_024).contains(children) else { throw ValidationError("Give --children 10 to 1,024.") }
    guard (1...100).contains(rounds), (1...3_600).contains(idle) else {
      throw ValidationError("Give --rounds 1 to 100 and --idle 1 to 3,600.")
    }
    _ = try figures()
  }

  private func figures() throws -> [DeliveryFigure] {
    guard let only else { return DeliveryFigure.allCases }
    return try only.split(separator: ",").map { name in
      guard let figure = DeliveryFigure(rawValue: String(name)) else {
        throw ValidationError("No figure is “\(name)”.")
      }
      return figure
    }
  }

  func run() async throws {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let keeps = ProcessInfo.processInfo.environment["LATCHKEY_BENCH_KEEP"] != nil
    defer { if !keeps { try? FileManager.default.removeItem(at: folder) } }
    let machine = BenchMachine(folder: folder.path)
    let before = machine.text
    let bench = DeliveryBench(
      mqttPeer: mqttPeer, folder: folder.path, messages: messages, size: size, concurrency: concurrency, rounds: rounds,
      children: children, idleSeconds: idle, tell: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) })
    var rows: [BenchRow] = []
    var notes: [String] = []
    for figure in try figures() {
      let result = try await bench.run(figure)
      rows += result.rows
      notes.append("\(figure.rawValue): load average \(machine.load) at its end. \(result.note)")
    }
    let heading = "\(before) before and \(machine.load) after"
    let table = ([heading, "", BenchTable.text(rows), ""] + notes + [Mosquitto.settings]).joined(separator: "\n")
    let json = try BenchTable.json(rows)
    if let save {
      try Data((table + "\n").utf8).write(to: URL(fileURLWithPath: save).appendingPathComponent("delivery.txt"))
      try Data((json + "\n").utf8).write(to: URL(fileURLWithPath: save).appendingPathComponent("delivery.json"))
    }
    print(format == .json ? json : table)
  }
}
