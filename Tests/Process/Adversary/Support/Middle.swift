import Foundation
import Synchronization

/// A man in the middle who accepts connections, opens others to the intended node, and controls
/// every frame.
///
/// Sessions pass unaltered, as over a working network, unless it is silent.
final class Middle: Sendable {
  /// Decides on one frame of a pairing: which way it goes, its number that way, its body.
  typealias Plan = @Sendable (Direction, Int, [UInt8]) -> Move

  private struct State {
    var recordings: [Recording] = []
    var isSilent = false
  }

  private let target: UInt16
  private let source: String
  private let plan: Plan
  /// After so many bytes of a pairing this way everything is cut.
  private let cut: (direction: Direction, bytes: Int)?
  private let state = Mutex(State())
  private let interceptor: Interceptor
  /// The address to which a victim is sent.
  let address: String

  /// Opens a port that relays to a node's port; the node sees connections from `source`.
  init(
    to port: UInt16, from source: String = "127.0.0.1", cut: (direction: Direction, bytes: Int)? = nil,
    _ plan: @escaping Plan = { _, _, _ in .pass }
  ) throws {
    target = port
    self.source = source
    self.plan = plan
    self.cut = cut
    interceptor = try Interceptor()
    address = "127.0.0.1:\(interceptor.port)"
    interceptor.start { [weak self] stream in self?.serve(stream) }
  }

  deinit { end() }

  /// The recorded pairings.
  var pairings: [Recording] { recordings { $0 != 2 } }

  /// The recorded sessions.
  var sessions: [Recording] { recordings { $0 == 2 } }

  private func recordings(_ purpose: (UInt8) -> Bool) -> [Recording] {
    state.withLock { $0.recordings }.filter { purpose($0.preamble[3]) }
  }

  /// Relays all frames from now on; frames that were held back are lost.
  func heal() {
    state.withLock { $0.isSilent = false }
    interceptor.endAll()
  }

  /// Relays nothing from now on, and leaves the connections open.
  func fallSilent() { state.withLock { $0.isSilent = true } }

  /// Ends the relay.
  func end() { interceptor.end() }

  private func serve(_ client: ByteStream) {
    guard let preamble = client.read(6), !state.withLock({ $0.isSilent }),
      let server = try? ByteStream(port: target, from: source)
    else { return }
    interceptor.keep(server)
    let index = state.withLock { state in
      state.recordings.append(Recording(preamble: preamble))
      return state.recordings.count - 1
    }
    let up = Pump(from: client, to: server, .toInviter, recording: index, cut: cut, isPairing: preamble[3] != 2)
    let down = Pump(from: server, to: client, .toJoiner, recording: index, cut: cut, isPairing: preamble[3] != 2)
    var upstream = up
    guard upstream.forward(preamble) else { return }
    Thread.detachNewThread { [self] in run(down) }
    run(upstream)
  }

  private func run(_ pump: Pump) {
    var pump = pump
    var number = 0
    while let body = pump.from.readFrame() {
      let isSilent = state.withLock { state in
        state.recordings[pump.recording].frames.append((pump.direction, body))
        return state.isSilent
      }
      if isSilent { continue }
      let move = pump.isPairing ? plan(pump.direction, number, body) : .pass
      number += 1
      switch move {
      case .pass: if !pump.forward(ByteStream.framed(body)) { return }
      case .send(let bodies): for other in bodies where !pump.forward(ByteStream.framed(other)) { return }
      case .reflect: pump.from.write(frame: body)
      case .cut: return pump.cutOff()
      case .silence: fallSilent()
      }
    }
    // In silence an end is not passed on either.
    if !state.withLock({ $0.isSilent }) { pump.cutOff() }
  }
}
