import Foundation
import Glibc

/// magic-wormhole with its own mailbox server on loopback, from the entered code to the text at the
/// receiver.
///
/// It is the closest program in common use: a short typed code, PAKE, and a message at the other
/// end. It makes nothing durable, and it asks a server, so it does both less and more than a
/// pairing. A transit relay takes no part in a text.
struct Wormhole {
  /// The folder with `wormhole` and `twist`.
  let programs: String
  let folder: String

  struct Figures {
    /// The durations from the code to the text, with a receiver that runs and has asked for the
    /// code.
    var net = Durations()
    /// The durations from the start of the process to the text, with the code as an argument.
    var whole = Durations()
    /// The durations of a process that only loads what `receive` loads.
    var start = Durations()
  }

  func run(_ count: Int) async throws -> Figures {
    let port = 40_000 + Int(getpid() % 20_000)
    let server = try ToolProcess(
      "\(programs)/twist", ["wormhole-mailbox", "--port=tcp:\(port):interface=127.0.0.1"], folder: folder)
    defer { server.stop() }
    try await Self.waitForServer(port)
    let options = ["--relay-url=ws://127.0.0.1:\(port)/v1", "--transit-helper="]
    var figures = Figures()
    for number in 0..<count {
      figures.start.record(try start())
      figures.net.record(try receive(options, code: "\(2 * number + 1)-purple-sausages", isPrompted: true))
      figures.whole.record(try receive(options, code: "\(2 * number + 2)-purple-sausages", isPrompted: false))
    }
    return figures
  }

  private func start() throws -> Int64 {
    let began = Durations.now()
    let python = try ToolProcess(
      "\(programs)/python", ["-c", "import wormhole.cli.cli, wormhole.cli.cmd_receive"], folder: folder)
    _ = python.read { _ in false }
    let ended = Durations.now()
    python.finish()
    return ended - began
  }

  private func receive(_ options: [String], code: String, isPrompted: Bool) throws -> Int64 {
    let text = "hello over the wormhole"
    let sender = try ToolProcess(
      "\(programs)/wormhole", options + ["send", "--no-qr", "--text", text, "--code", code], folder: folder)
    defer { sender.finish() }
    // It reports this on standard error. It does not report that it waits at the server, so it gets
    // time for that.
    usleep(1_500_000)
    let began: Int64
    let receiver: ToolProcess
    if isPrompted {
      receiver = try ToolProcess("\(programs)/wormhole", options + ["receive"], folder: folder)
      guard receiver.read(until: { $0.contains("Enter receive wormhole code") }) else {
        throw BenchFault("wormhole asked for no code.")
      }
      usleep(500_000)
      began = Durations.now()
      try receiver.write(code)
    } else {
      began = Durations.now()
      receiver = try ToolProcess("\(programs)/wormhole", options + ["receive", code], folder: folder)
    }
    guard receiver.read(until: { $0.contains(text) }) else { throw BenchFault("wormhole received no text.") }
    let ended = Durations.now()
    receiver.finish()
    return ended - began
  }

  private static func waitForServer(_ port: Int) async throws {
    let deadline = Durations.now() + 30_000_000
    while Durations.now() < deadline {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      if result == 0 { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw BenchFault("The mailbox server of magic-wormhole does not start.")
  }
}
