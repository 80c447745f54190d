import Foundation
import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode

/// A node of tests that knows one more kind of command, whose effect something outside the database
/// carries out.
///
///   latchkey-waiting-node run --state-dir FOLDER
///
/// Each time it begins to carry out an effect, it adds a line with its process ID to the file
/// `carried` in the folder. The effect is done when the process gets SIGUSR1.
@main
enum WaitingNode {
  static func main() async {
    let arguments = CommandLine.arguments
    guard let place = arguments.firstIndex(of: "--state-dir"), arguments.indices.contains(place + 1) else { exit(64) }
    let folder = arguments[place + 1]
    signal(SIGUSR1, SIG_IGN)
    do {
      umask(0o077)
      try await runNode(
        NodeConfiguration(stateFolder: folder, interfaces: ["lo"], discovers: false, logLevel: "debug"),
        commands: CommandRegistry(household: [WaitForSignal.self]),
        carriers: [SignalCarrier(notes: folder + "/carried")])
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(error.exitStatus)
    }
  }
}

/// A command that is done once the process gets a signal.
struct WaitForSignal: CommandDefinition {
  static let kind: CommandKind = "waitForSignal"

  init() {}
  init(bytes: [UInt8]) throws(BodyFault) {}

  var bytes: [UInt8] { [] }
  var summary: String { "wait for a signal" }

  func execute(_ command: CommandContext, in transaction: inout some EffectTransaction) throws -> EffectOutcome {
    .underWay(EffectWait("a signal", within: 86_400_000))
  }
}

/// Carries out what waits for a signal.
struct SignalCarrier: EffectCarrier {
  /// The file that gets a line for each effect that is begun.
  let notes: String
  let kind = WaitForSignal.kind

  func carryOut(_ effect: PendingEffect) async -> EffectOutcome {
    let (signals, continuation) = AsyncStream<Void>.makeStream()
    let source = DispatchSource.makeSignalSource(signal: SIGUSR1)
    source.setEventHandler { continuation.yield() }
    source.resume()
    defer { source.cancel() }
    note()
    for await _ in signals { return .done(StateInForce(Done())) }
    return .underWay(EffectWait("a signal", within: 0))
  }

  private func note() {
    guard let file = fopen(notes, "a") else { return }
    fputs("\(getpid())\n", file)
    fclose(file)
  }
}
