import LatchkeyModel

/// The queue of a link's notes, most important first.
///
/// One note is stored at a time. A pure value.
package struct LinkNotes: Sendable {
  /// The note that is under way.
  package private(set) var present: LinkNote?
  /// A Boolean value that indicates whether the last note was refused.
  ///
  /// The rest waits for the disk, a new session or another stored position.
  var isHeldUp = false

  var isToQuarantine = false
  var hasSentRemoval = false
  var hasMetSilence = false
  private var removalEnd: RemovalEnd?
  package var stored: [StreamClass: StreamPosition] = [:]
  /// Streams that the peer has and this machine does not know.
  var unknownHere: [StreamPosition]?
  var restarts: [(StreamClass, RestartCause)] = []
  /// The key that the peer's Hello named.
  var keyNamed: [UInt8]?
  /// Sessions that were opened and are not noted yet.
  package var sightings: [LinkSighting] = []
  var told: [SocketEndpoint]?
  /// The names of the two devices as the peer states them.
  var labels: SessionLabels?
  var isInStep = false

  /// The largest number of sessions that wait to be noted; the oldest make room for the newest.
  private static let mostSightings = 64

  /// A Boolean value that indicates whether the note under way changes streams.
  var isAboutStreams: Bool {
    switch present {
    case .forget, .restart, .removalTold: true
    default: false
    }
  }

  /// A Boolean value that indicates whether a stream is being given a new epoch.
  var isRestarting: Bool { if case .restart = present { true } else { false } }

  mutating func forget(_ position: StreamPosition) {
    stored[position.streamClass] = position
    isHeldUp = false
  }

  /// Queues an opened session, and retries what was refused before.
  mutating func opened(_ sighting: LinkSighting) {
    if sightings.count >= Self.mostSightings { sightings.removeFirst() }
    sightings.append(sighting)
    isHeldUp = false
  }

  mutating func endRemoval(_ end: RemovalEnd) {
    removalEnd = end
    isHeldUp = false
  }

  /// Discards the notes that the next session's Hello will make again.
  mutating func sessionEnded() {
    restarts = []
    unknownHere = nil
  }

  /// Discards the notes about streams that were replaced.
  mutating func streamsReplaced() {
    stored = [:]
    restarts = []
  }

  /// Returns the next note to store; `nil` if there is none or one is under way.
  ///
  /// `proof` returns what a session proves about a pairing that only one side has completed so far.
  mutating func next(proof: (LinkSighting) -> LinkSighting.Proof, isInStep: Bool) -> LinkNote? {
    guard present == nil, !isHeldUp else { return nil }
    present = pick(proof, isInStep)
    return present
  }

  private mutating func pick(_ proof: (LinkSighting) -> LinkSighting.Proof, _ inStep: Bool) -> LinkNote? {
    if isToQuarantine {
      isToQuarantine = false
      return .quarantine
    }
    if let end = removalEnd {
      removalEnd = nil
      return .removalTold(end)
    }
    if hasSentRemoval {
      hasSentRemoval = false
      return .removalSent
    }
    if hasMetSilence {
      hasMetSilence = false
      return .removalMetSilence
    }
    if let streamClass = stored.keys.min(), let position = stored.removeValue(forKey: streamClass) {
      return .forget(position)
    }
    if let streams = unknownHere {
      unknownHere = nil
      return .setBack(streams)
    }
    if let (streamClass, cause) = restarts.popLast() { return .restart(streamClass, cause) }
    if let keyID = keyNamed {
      keyNamed = nil
      return .keyNamed(keyID)
    }
    if let sighting = sightings.popLast() { return .opened(sighting, proof(sighting), isInStep: inStep) }
    if let endpoints = told {
      told = nil
      return .told(endpoints)
    }
    if let said = labels {
      labels = nil
      return .labels(said)
    }
    if isInStep {
      isInStep = false
      return .inStep
    }
    return nil
  }

  /// Returns the note under way, which is now durable, and clears it.
  mutating func noted() -> LinkNote? {
    defer { present = nil }
    return present
  }

  /// Queues the failed note again, unless a newer one has replaced it or the next session will
  /// repeat it; returns whether a session depends on it.
  mutating func failed(isOfDisk: Bool, hasSession: Bool) -> Bool {
    guard let note = noted() else { return false }
    isHeldUp = true
    switch note {
    case .quarantine: isToQuarantine = true
    case .removalTold(let end): removalEnd = removalEnd ?? end
    case .removalSent: hasSentRemoval = true
    case .removalMetSilence: break
    case .forget(let position): if stored[position.streamClass] == nil { stored[position.streamClass] = position }
    case .setBack(let streams): if hasSession, unknownHere == nil { unknownHere = streams }
    case .restart(let streamClass, let cause): if hasSession { restarts.append((streamClass, cause)) }
    case .keyNamed(let keyID): if keyNamed == nil { keyNamed = keyID }
    case .opened(let sighting, _, _):
      if isOfDisk, sightings.count < Self.mostSightings { sightings.insert(sighting, at: 0) }
    // If this is lost, the peer repeats it in the next session.
    case .told, .labels, .inStep: break
    }
    switch note {
    case .forget, .setBack, .restart, .keyNamed, .opened, .removalTold: return true
    case .quarantine, .removalSent, .removalMetSilence, .told, .labels, .inStep: return false
    }
  }
}
