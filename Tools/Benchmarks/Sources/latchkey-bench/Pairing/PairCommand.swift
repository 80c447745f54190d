import ArgumentParser
import Foundation
import Glibc

/// The command `latchkey-bench pair`: how long people wait for a pairing, beside similar programs.
struct PairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Pair running nodes over loopback, beside magic-wormhole and avahi-browse.",
    discussion: """
      Every node is a `latchkey run` of its own, driven through its local API. A pairing takes from the moment at which \
      the code is handed to the child's node until both nodes have answered that they are paired, durably; the parent \
      accepts by itself. Run it with Tools/benchmark-pair, where nothing can leave loopback.
      """)

  @Option(help: "Pairings of each kind.") var pairings = 60
  @Option(help: "Children that pair with one parent in turn.") var children = 100
  @Option(help: "The folder with magic-wormhole's programs; none is measured without it.") var wormhole: String?
  @Option(help: "Texts over magic-wormhole.") var wormholes = 10
  @Flag(help: "Compare with avahi-browse; an avahi-daemon has to run, and nodes announce themselves through it.")
  var mdns = false
  @Option(help: "table or json.") var format = BenchFormat.table
  @Option(help: "Write the table and the JSON into this folder, too.") var save: String?

  func validate() throws {
    guard (1...10_000).contains(pairings) else { throw ValidationError("Give --pairings 1 to 10,000.") }
    guard (1...1_000).contains(children) else { throw ValidationError("Give --children 1 to 1,000.") }
    guard (1...1_000).contains(wormholes) else { throw ValidationError("Give --wormholes 1 to 1,000.") }
  }

  func run() async throws {
    let tool = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("latchkey").path
    guard FileManager.default.isExecutableFile(atPath: tool) else {
      throw ValidationError("\(tool) is not there: run Tools/benchmark-pair, which builds it.")
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // With LATCHKEY_BENCH_KEEP set, the nodes' logs and state are kept for inspection.
    let keeps = ProcessInfo.processInfo.environment["LATCHKEY_BENCH_KEEP"] != nil
    defer { if !keeps { try? FileManager.default.removeItem(at: folder) } }
    let machine = BenchMachine(folder: folder.path)
    let before = machine.text
    let rows = try await PairingBench(
      tool: tool, folder: folder.path, pairings: pairings, children: children,
      wormhole: wormhole.map { Wormhole(programs: $0, folder: folder.path) }, wormholes: wormholes,
      comparesDiscovery: mdns, tell: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }
    ).run()
    let table = "\(before) before and \(machine.load) after\n\n\(BenchTable.text(rows))"
    let json = try BenchTable.json(rows)
    if let save {
      try Data((table + "\n").utf8).write(to: URL(fileURLWithPath: save).appendingPathComponent("pair.txt"))
      try Data((json + "\n").utf8).write(to: URL(fileURLWithPath: save).appendingPathComponent("pair.json"))
    }
    print(format == .json ? json : table)
  }
}
