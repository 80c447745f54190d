import LatchkeyModel
import LatchkeyProtocol

/// The machine of a link with its clock, and a scripted peer.
struct LinkRig {
  static let key = [UInt8](repeating: 1, count: 32)
  static let otherKey = [UInt8](repeating: 2, count: 32)
  static let own = device(1)
  static let peer = device(2)
  static let address = SocketEndpoint(host: "192.0.2.2", port: 7)
  static let ends = SessionEnds(remote: "192.0.2.2:7", remoteHost: "192.0.2.2", localHost: "192.0.2.1")

  var machine: LinkMachine
  var now = BootInstant(milliseconds: 10_000)
  /// The effects that no test has examined yet.
  var effects: [LinkEffect] = []

  /// Creates a rig; with `isBegun`, the machine's initial requests are already answered.
  init(
    _ standing: PeerStanding = PeerStanding(state: .active, keys: PairwiseKeys(present: key)),
    streams: LinkStreams = LinkStreams(), role: DeviceRole = .parent, told: [SocketEndpoint] = [address],
    isBegun: Bool = true
  ) {
    let settings = LinkSettings(
      device: Self.own, runID: [UInt8](repeating: 9, count: 16), name: "Own", role: role,
      host: { $0.first == 127 ? nil : $0.map(String.init).joined(separator: ".") },
      verify: { run throws(SessionFault) in
        if run.items.contains(where: { $0.body == [0xBD] }) { throw .violation("false") }
      })
    machine = LinkMachine(
      peer: Self.peer, settings: settings, standing: standing, keyID: [1], streams: streams, told: told,
      surroundings: LinkSurroundings(
        devices: 3, crowd: 1, reach: Reach(port: 7, addresses: [[192, 0, 2, 1]]), ownHosts: ["192.0.2.1"]),
      jitterSeed: 1, now: now)
    tell { $0.begin(now: $1) }
    guard isBegun else { return }
    tell { $0.streamsRead(streams, now: $1) }
    effects = []
  }

  /// Advances the time, and passes an input to the machine.
  mutating func tell(after milliseconds: Int64 = 0, _ tell: (inout LinkMachine, BootInstant) -> Void) {
    now = now + milliseconds
    tell(&machine, now)
    effects += machine.takeEffects()
  }

  /// Returns the effects since the last call.
  mutating func take() -> [LinkEffect] {
    defer { effects = [] }
    return effects
  }

  private static func device(_ byte: UInt8) -> DeviceID {
    guard let device = DeviceID(bytes: [UInt8](repeating: byte, count: DeviceID.size)) else {
      preconditionFailure("20 bytes are an ID")
    }
    return device
  }

  // MARK: What happens often

  static func hello(
    run: UInt8 = 4, ended: UInt64 = 0, refusal: Hello.Refusal? = nil, outgoing: [StreamPosition] = [],
    incoming: [StreamPosition] = [], keyID: [UInt8] = [UInt8](repeating: 9, count: 8)
  ) -> Hello {
    Hello(
      runID: [UInt8](repeating: run, count: 16), name: "Emma's PC", role: .child, refusal: refusal, outgoing: outgoing,
      incoming: incoming, keyID: keyID, endedSessions: ended)
  }

  /// Handles a call of the peer, and returns the number of the session.
  mutating func accept(key: [UInt8] = LinkRig.key, _ ends: SessionEnds = LinkRig.ends) -> Int? {
    var number: Int?
    tell { number = $0.accepted(ends, pairwiseKey: key, now: $1) }
    return number
  }

  /// Receives a batch; the disk recognizes all items that a Hello states.
  mutating func receive(_ batch: SessionBatch, on number: Int, foreign: Set<StreamClass> = []) {
    tell { $0.received(batch, on: number, now: $1) }
    if batch.hello != nil { tell { $0.judged(number, foreign: foreign, now: $1) } }
  }

  /// Opens a session that the peer began, including both Hellos.
  mutating func open(_ hello: Hello = LinkRig.hello(), key: [UInt8] = LinkRig.key) -> Int {
    let number = accept(key: key) ?? 0
    receive(SessionBatch(hello: hello), on: number)
    return number
  }

  /// Calls the only address, completes the handshake, and returns the number of the session.
  mutating func call(offered: [UInt8]? = nil, answeredWith key: [UInt8] = LinkRig.key) -> Int? {
    let call = lookUp()
    var number: Int?
    tell {
      number = $0.opened(call: call ?? 0, LinkRig.ends, pairwiseKey: key, offeredKey: offered, now: $1)
    }
    return number
  }

  /// Answers the look-up of addresses, and returns the call that follows.
  mutating func lookUp() -> Int? {
    tell { $0.lookedUp([], now: $1) }
    return effects.compactMap { if case .call(let call, _, _, _) = $0 { call } else { nil } }.last
  }

  /// Answers all notes.
  mutating func note(_ answer: (LinkNote) -> LinkNoteAnswer = { _ in .done }) {
    while case .note(let note)? = effects.last(where: { if case .note = $0 { true } else { false } }) {
      effects.removeAll { if case .note = $0 { true } else { false } }
      let answer = answer(note)
      tell { $0.noted(answer, now: $1) }
    }
  }
}

extension [LinkEffect] {
  /// Returns the batches sent in a session.
  func said(on number: Int) -> [SessionBatch] {
    compactMap { if case .send(let batch, number) = $0 { batch } else { nil } }
  }

  var closed: [Int] { compactMap { if case .close(let number) = $0 { number } else { nil } } }
  var aborted: [Int] { compactMap { if case .abort(let number) = $0 { number } else { nil } } }
  var notes: [LinkNote] { compactMap { if case .note(let note) = $0 { note } else { nil } } }
  var news: [LinkNews] { compactMap { if case .tell(let news) = $0 { news } else { nil } } }
  var loads: [OutboxMachine.Load] { compactMap { if case .load(let load) = $0 { load } else { nil } } }
  var commits: [[ItemRun]] { compactMap { if case .commit(let runs, _) = $0 { runs } else { nil } } }
  var isLookingUp: Bool { contains { if case .lookUpAddresses = $0 { true } else { false } } }
  var isReadingStreams: Bool { contains { if case .readStreams = $0 { true } else { false } } }
}
