import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

/// Tests of a thousand children that lose one parent, search for it, and see it return at the same
/// moment.
@Suite struct CrowdTests {
  private struct Figures {
    /// The most calls within one second while the parent is away, after the first minute.
    var callsWhileAway = 0
    /// Milliseconds from the parent's return until all children are connected.
    var connectedAfter: Int64 = 0
    /// Calls after the parent's return that were turned away because no place was free.
    var turnedAway = 0
    var callsAfterReturn = 0
  }

  /// Milliseconds that a caller holds a stranger's place.
  private static let handshake: Int64 = 20
  private static let away: Int64 = 600_000

  private func run(children: Int, seed: UInt64, isSpread: Bool = true) -> Figures {
    var random = SeededRandom(seed: seed)
    var paces = (0..<children).map { _ in DialPace() }
    var due: [Int64: [Int]] = [0: Array(0..<children)]
    var leaving: [Int64: [String]] = [:]
    var places = StrangerLimits()
    var figures = Figures()
    var second: (number: Int64, calls: Int) = (0, 0)
    var connected = 0
    var time: Int64 = 0
    while connected < children, time < Self.away + 600_000 {
      if time == Self.away {
        // Every child sees the announcement.
        due = [:]
        for child in 0..<children {
          paces[child].signOfLife()
          let wait = DialPace.spread(jitter: Double.random(in: 0...1, using: &random), crowd: isSpread ? children : 0)
          due[time + max(wait, 1), default: []].append(child)
        }
      }
      for place in leaving.removeValue(forKey: time) ?? [] { places.release(place) }
      for child in due.removeValue(forKey: time) ?? [] {
        let jitter = Double.random(in: 0...1, using: &random)
        guard time > Self.away else {
          if second.number != time / 1_000 { second = (time / 1_000, 0) }
          second.calls += 1
          if time > 60_000 { figures.callsWhileAway = max(figures.callsWhileAway, second.calls) }
          let wait = paces[child].failed(jitter: jitter, isUnreachable: true, crowd: children)
          due[time + max(wait, DialPace.shortest), default: []].append(child)
          continue
        }
        figures.callsAfterReturn += 1
        let host = "10.0.\(child / 250).\(child % 250)"
        if places.admit(host) {
          leaving[time + Self.handshake, default: []].append(host)
          connected += 1
        } else {
          figures.turnedAway += 1
          due[time + max(paces[child].failed(jitter: jitter), DialPace.shortest), default: []].append(child)
        }
      }
      time += 1
    }
    figures.connectedAfter = connected == children ? time - Self.away : .max
    return figures
  }

  @Test func aThousandChildrenAndAParentThatReturns() {
    let spread = run(children: 1_000, seed: 1)
    let once = run(children: 1_000, seed: 1, isSpread: false)
    print(
      "1,000 children: at most \(spread.callsWhileAway) calls a second while the parent is away; all are connected "
        + "\(spread.connectedAfter) ms after its return, by \(spread.callsAfterReturn) calls, "
        + "\(spread.turnedAway) of them turned away (all at once: \(once.connectedAfter) ms, "
        + "\(once.callsAfterReturn) calls, \(once.turnedAway) turned away).")
    #expect(spread.callsWhileAway < 200)
    #expect(spread.connectedAfter < 3_000)
    #expect(spread.turnedAway == 0)
    #expect(once.turnedAway > 900, "without a spread most meet a closed door")
  }

  @Test func aFamilyHardlyWaits() {
    #expect(DialPace.spread(jitter: 1, crowd: 5) == 10)
    #expect(DialPace.spread(jitter: 1, crowd: 100_000) == 4_000)
    #expect(DialPace.spread(jitter: 0, crowd: 1_000) == 0)
    #expect(run(children: 5, seed: 2).connectedAfter < 50)
  }
}
