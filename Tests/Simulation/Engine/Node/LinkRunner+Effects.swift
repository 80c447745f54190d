import LatchkeyModel
import LatchkeyProtocol

extension LinkRunner {
  /// Runs one effect of the machine.
  func run(_ effect: LinkEffect) {
    switch effect {
    case .send(let batch, let number): send(batch, number)
    case .read(let number):
      if let port = seats[number]?.port { node.act(after: 1) { port.read() } }
    case .proven(let number):
      if machine.sessions[number]?.isOurs == false { seats[number]?.port.connection.isUnproven = false }
    case .close(let number): leave(number)?.port.close()
    case .abort(let number): leave(number)?.port.abort()

    case .lookUpAddresses: lookUpAddresses()
    case .call(let number, let endpoint, let keys, let offered): call(number, endpoint, keys, offered)
    case .giveUp(let number): calls.removeValue(forKey: number)?()

    case .judge(let number, let hello): judge(number, hello)
    case .load(let load): self.load(load)
    case .commit(let runs, let key): commit(runs, in: key)
    case .note(let note): self.note(note)
    case .readStreams: readStreams()

    case .tell(let news): tell(news)
    }
  }

  private func send(_ batch: SessionBatch, _ number: Int) {
    guard let seat = seats[number] else { return }
    simulation.oracle.sends(self, batch)
    do throws(SessionFault) {
      seat.port.send(try seat.seal(batch))
      if !seat.port.isWritable { machine.filled(number) }
    } catch {
      simulation.fail("\(name) could not seal: \(error)")
      seat.port.abort()
    }
  }

  /// Releases a session that the machine no longer holds.
  private func leave(_ number: Int) -> LinkSeat? {
    guard let seat = seats.removeValue(forKey: number) else { return nil }
    (seat.port.onEnd, seat.port.onDrained) = (nil, nil)
    return seat
  }

  // MARK: Calls

  private func lookUpAddresses() {
    let wait = Int64(1 + simulation.random.below(300))
    node.act(after: wait) { [weak self] in
      guard let self else { return }
      let proven = node.remembered[peer]?.proven ?? []
      update { $0.lookedUp(proven.map { (SocketEndpoint(place: $0), .proven) }, now: $1) }
    }
  }

  private func call(_ number: Int, _ endpoint: SocketEndpoint, _ keys: [[UInt8]], _ offered: [UInt8]?) {
    simulation.note(14, "\(name) calls \(endpoint)")
    guard let place = endpoint.place, let call = simulation.handshakes.call(node, peer, keys: keys) else {
      return ended(number, .failed("no key"))
    }
    let life = node.life
    calls[number] = {}
    simulation.network.dial(node, place: place) { [weak self] port in
      guard let self, node.life == life, node.isRunning, calls[number] != nil else {
        port?.orphan()
        return
      }
      guard let port else { return node.act(after: 0) { [weak self] in self?.ended(number, .unreachable("")) } }
      calls[number] = { port.abort() }
      port.onEnd = { [weak self] in self?.ended(number, .silent("")) }
      port.onFrame = { [weak self] frame in
        guard let self, calls[number] != nil else { return }
        guard case .answer(let answer) = frame, let (sealing, key) = call.answered(answer) else {
          simulation.oracle.keysDiffer(self, port.connection)
          port.onEnd = nil
          port.close()
          return ended(number, .failed(""))
        }
        calls[number] = nil
        open(port, sealing) {
          $0.opened(call: number, SessionEnds(port), pairwiseKey: keys[key], offeredKey: offered, now: $1)
        }
      }
      // A stranger's time is limited.
      node.act(after: 10_000_000) { [weak self, weak port] in if self?.calls[number] != nil { port?.abort() } }
      port.send(call.first)
      port.connection.overheard.append(call.first)
      port.read()
    }
  }

  private func ended(_ number: Int, _ outcome: CallOutcome) {
    guard calls.removeValue(forKey: number) != nil || outcome == .failed("no key") else { return }
    update { $0.callEnded(number, outcome, now: $1) }
  }

  // MARK: News

  private func tell(_ news: LinkNews) {
    switch news {
    case .opened(let number, let hello):
      simulation.note(12, "\(name) session \(number) open")
      node.pointsNews()
      if let seat = seats[number] {
        simulation.oracle.greets(self, hello, seat.foreign)
        simulation.oracle.opens(self)
        if machine.isCurrentOurs, let place = seat.port.remotePlace { node.reached(peer, place) }
      }
    case .kept(let number, let other):
      if let seat = seats[number] {
        simulation.oracle.keeps(self, seat.port.connection, insteadOf: seats[other]?.port.connection)
      }
    case .ended:
      simulation.note(10, "\(name) session ended")
      node.pointsNews()
    case .fault(let fault, let number): if let seat = seats[number] { simulation.oracle.accuses(self, fault, seat) }
    case .quarantined: simulation.oracle.quarantines(self)
    case .moved, .stored, .changed, .goodbye, .turnedAway, .restarting, .missed, .removed: break
    }
  }
}
