import LatchkeyModel
import LatchkeyProtocol

/// Where the peer may be, and whether it still is where it was. Spec: Protocol/02-discovery.md §8, 04-session.md §5.
///
/// An address is a number here: that of the place at which a machine has been since it moved last.
extension SimulatedLink {
  /// Whether a call finds the peer's machine where it is now.
  func knows(_ place: SimulatedNode) -> Bool { [proven, announced, told].contains(place.place) }

  /// mDNS has seen the peer's machine at a place.
  func sighted(_ place: Int) {
    announced = place
    signOfLife()
    for number in sessions.keys.sorted() where sessions[number]?.port.remotePlace != place { doubt(number) }
  }

  /// This machine is at another place, or has slept: see whether the sessions live, and look for the peer at once.
  func networkChanged() {
    for number in sessions.keys.sorted() {
      guard let port = sessions[number]?.port else { continue }
      // Nothing that is sent from an address that is gone will be answered.
      if port.place == node.place { doubt(number) } else { port.abort() }
    }
    abandonCall?()
    signOfLife()
    if let current, let session = sessions[current] { sendReach(session) }
  }

  /// Something speaks against a session: hear within seconds whether the peer is still there.
  private func doubt(_ number: Int) {
    guard number == current, let session = sessions[number], !session.isEnding,
      let ping = session.doubted(now: node.now)
    else { return }
    send(SessionBatch(ping: ping), session)
    keepTime(session)
  }

  /// Tell the peer where it can call.
  func sendReach(_ session: SimulatedSession) {
    guard session.reach != node.place else { return }
    session.reach = node.place
    send(SessionBatch(reach: Reach(port: UInt16(truncatingIfNeeded: node.place + 1), addresses: [])), session)
  }

  /// The peer tells where it can be called; without the disk it is told again in the next session.
  func received(_ reach: Reach?, _ session: SimulatedSession) {
    guard let reach, told != Int(reach.port) - 1 else { return session.port.read() }
    told = Int(reach.port) - 1
    node.disk.commit("told", with: peer) { _ in
      true
    } then: { _ in
      session.port.read()
    }
  }
}
