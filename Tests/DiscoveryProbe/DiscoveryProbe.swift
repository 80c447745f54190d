import Glibc
import LatchkeyDiscovery

/// Runs discoveries in a process of its own, for tests: events go out a line each, orders come in a
/// line each.
///
///     latchkey-discovery-probe auto|daemon|embedded [INTERFACE,INTERFACE|-] [COUNT]
///     latchkey-discovery-probe capture INTERFACE
///     latchkey-discovery-probe churn auto|daemon|embedded INTERFACE
///     latchkey-discovery-probe relay INTERFACE INTERFACE MILLISECONDS
///     latchkey-discovery-probe spoof INTERFACE
///
/// Orders: `advertise NAME PORT [KEY=TEXT …]`, `withdraw`, `quit`; the end of the input quits as
/// well. With a COUNT of more than one, lines and orders begin with the number of the discovery: `1
/// withdraw`.
///
/// `churn` starts and ends six discoveries and writes how many descriptors are open after the
/// second and the last. `relay` carries frames, each after a while. `spoof` repeats what others
/// announce, at an address of its own. `capture` writes a line for every mDNS packet seen on an
/// interface: `mdns ` and its printable characters.
@main
enum DiscoveryProbe {
  static func main() async {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[1] == "capture" { PacketCapture.run(interface: arguments[2]) }
    if arguments.count == 5, arguments[1] == "relay", let milliseconds = Int64(arguments[4]) {
      FrameRelay.run(arguments[2], arguments[3], milliseconds: milliseconds)
    }
    if arguments.count == 3, arguments[1] == "spoof" { await Spoofer.run(interface: arguments[2]) }
    if arguments.count == 4, arguments[1] == "churn" { return await churn(arguments[2], interface: arguments[3]) }
    let count = arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1
    let discoveries = (0..<count).compactMap { _ in
      arguments.count > 1 ? make(arguments[1], interfaces: arguments.dropFirst(2).first) : nil
    }
    guard !discoveries.isEmpty else {
      Output.line("usage: latchkey-discovery-probe auto|daemon|embedded [INTERFACE,…|-] [COUNT]")
      exit(64)
    }
    let running = discoveries.map { discovery in Task { await discovery.run() } }
    let printing = discoveries.enumerated().map { number, discovery in
      Task {
        for await event in discovery.events {
          Output.line((count > 1 ? "\(number) " : "") + ProbeLine.text(event))
        }
      }
    }
    await withCheckedContinuation { ended in
      // Reading blocks, so it has a thread of its own.
      Reader(discoveries: discoveries) { ended.resume() }.start()
    }
    for task in running { task.cancel() }
    for task in running { await task.value }
    for task in printing { await task.value }
    Output.line("stopped")
  }

  private static func churn(_ kind: String, interface: String) async {
    for round in 1...6 {
      guard let discovery = make(kind, interfaces: interface) else { return }
      discovery.advertise(ServiceAdvertisement(instanceName: "round\(round)", port: 4000, text: ["v": [0x31]]))
      let running = Task { await discovery.run() }
      for await event in discovery.events {
        // Its own announcement seen: every kind of object is in use.
        if case .found = event { running.cancel() }
      }
      await running.value
      if round == 2 || round == 6 { Output.line("descriptors \(descriptors())") }
    }
  }

  private static func descriptors() -> Int {
    (0..<1024).filter { fcntl($0, F_GETFD) != -1 }.count
  }

  private static func make(_ kind: String, interfaces: String?) -> MulticastDiscovery? {
    let names = interfaces.flatMap { $0 == "-" ? nil : $0.split(separator: ",").map(String.init) }
    guard ["auto", "daemon", "embedded"].contains(kind) else { return nil }
    return MulticastDiscovery(
      configuration: DiscoveryConfiguration(
        interfaces: names, allowEmbedded: kind != "daemon", allowDaemon: kind != "embedded"))
  }
}
