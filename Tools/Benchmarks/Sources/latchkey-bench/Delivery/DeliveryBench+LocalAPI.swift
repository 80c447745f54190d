import Foundation
import LatchkeyHousehold
import LatchkeyModel

extension DeliveryBench {
  /// Measures requests to a parent's local API through its Unix socket.
  func localAPI() async throws -> Result {
    let (parent, child) = try await pairedProcesses("local-api")
    defer { parent.stop() }
    // The child is stopped, so that only the requests are measured.
    child.stop()
    let body = CommandRequest(device: Self.childName, action: .message(String(repeating: "m", count: size)))
    let status = LocalAPILoad(folder: parent.folder, request: LocalAPIConnection.request("GET", "/v1/status"))
    let command = LocalAPILoad(
      folder: parent.folder,
      request: LocalAPIConnection.request("POST", "/v1/commands", body: try JSONEncoder().encode(body)))
    let machine = BenchMachine(folder: folder)
    // The first requests of their kind take longer.
    _ = try status.rate(2_000, clients: Self.clients, isHeld: true)
    _ = try command.rate(200, clients: Self.clients, isHeld: true)
    let requests = max(1_000, messages / 5)
    let commands = max(200, messages / 50)
    var (held, each, given): ([Double], [Double], [Double]) = ([], [], [])
    var (cost, commandCost, single, disk): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for _ in 0..<min(rounds, 3) {
      var before = try ProcessCost.of(parent.id).seconds
      held.append(try status.rate(requests, clients: Self.clients, isHeld: true))
      cost.append((try ProcessCost.of(parent.id).seconds - before) / Double(requests) * 1e6)
      each.append(try status.rate(requests, clients: Self.clients, isHeld: false))
      before = try ProcessCost.of(parent.id).seconds
      given.append(try command.rate(commands, clients: Self.clients, isHeld: true))
      commandCost.append((try ProcessCost.of(parent.id).seconds - before) / Double(commands) * 1e6)
      single.append(try command.oneAtATime(200).median)
      disk.append(try machine.synchronisation().median)
      tell(
        "  \(Int(held.last ?? 0)) requests/s, \(Int(each.last ?? 0)) connections/s, \(Int(given.last ?? 0)) commands/s")
    }
    return Result(
      rows: [
        BenchRow("local API: GET /v1/status, \(Self.clients) connections", held.median, "requests/s"),
        BenchRow("  a new connection for each request", each.median, "requests/s"),
        BenchRow("  processor time of the node", cost.median, "µs/request"),
        BenchRow("local API: POST /v1/commands, \(Self.clients) connections", given.median, "requests/s"),
        BenchRow("  processor time of the node", commandCost.median, "µs/request"),
        BenchRow("  one at a time, median", single.median, "ms", peer: disk.median),
      ],
      note:
        "\(requests) requests for the status and \(commands) commands of \(size) B to a child that is away, through the "
        + "Unix socket of a parent's process. A command is answered once it is on the disk. The peer is 4 KiB written with "
        + "fdatasync.")
  }

  private static let clients = 8
}
