import Foundation
import Synchronization

/// A load that repeats one request to a node's local API.
struct LocalAPILoad: Sendable {
  let folder: String
  let request: [UInt8]

  /// Returns the requests answered in a second.
  ///
  /// `clients` ask at the same time, each in its own thread. If `isHeld`, a client uses one
  /// connection; otherwise, it opens one for each request, like the command line.
  func rate(_ count: Int, clients: Int, isHeld: Bool) throws -> Double {
    let left = Countdown(count)
    let faults = Mutex<[any Error]>([])
    let group = DispatchGroup()
    let began = Durations.now()
    for _ in 0..<clients {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        do { try ask(until: left, isHeld: isHeld) } catch { faults.withLock { $0.append(error) } }
      }
    }
    group.wait()
    let seconds = Double(Durations.now() - began) / 1e6
    if let fault = faults.withLock(\.first) { throw fault }
    return Double(count) / seconds
  }

  /// Returns how long each of `count` requests takes, one at a time on one connection.
  func oneAtATime(_ count: Int) throws -> Durations {
    let connection = try LocalAPIConnection(folder: folder)
    var durations = Durations()
    for _ in 0..<count {
      let began = Durations.now()
      try connection.ask(request)
      durations.record(Durations.now() - began)
    }
    return durations
  }

  private func ask(until left: Countdown, isHeld: Bool) throws {
    var connection: LocalAPIConnection?
    while left.take() {
      let open = try connection ?? LocalAPIConnection(folder: folder)
      try open.ask(request)
      connection = isHeld ? open : nil
    }
  }
}
