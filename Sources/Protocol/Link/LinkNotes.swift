import LatchkeyModel

/// What a link has to note durably, in the order of its weight; one note is under way at a time. Pure values.
package struct LinkNotes: Sendable {
  /// The note that is under way.
  package private(set) var present: LinkNote?
  /// Whether the disk refused the last one: the rest waits for the disk, for a new session or for more that is stored.
  var isHeldUp = false

  var isToQuarantine = false
  var hasSentRemoval = false
  var hasMetSilence = false
  private var removalEnd: RemovalEnd?
  package var stored: [StreamClass: StreamPosition] = [:]
  /// Streams that the peer holds and that this machine knows nothing of.
  var unknownHere: [StreamPosition]?
  /// Streams that have to begin anew.
  var restarts: [(StreamClass, RestartCause)] = []
  /// The key that the peer's Hello named.
  var keyNamed: [UInt8]?
  /// Sessions that were opened and are not noted yet.
  package var sightings: [LinkSighting] = []
  var told: [SocketEndpoint]?
  var isInStep = false

  /// Sessions that wait to be noted at most; others make room for the last.
  private static let mostSightings = 64

  /// Whether a note is under way that changes streams.
  var isAboutStreams: Bool {
    switch present {
    case .forget, .restart, .removalTold: true
    default: false
    }
  }

  /// Whether a stream is being given a new epoch.
  var isRestarting: Bool { if case .restart = present { true } else { false } }

  mutating func forget(_ position: StreamPosition) {
    stored[position.streamClass] = position
    isHeldUp = false
  }

  /// Takes note of a session that was opened: what the disk refused before is tried again.
  mutating func opened(_ sighting: LinkSighting) {
    if sightings.count >= Self.mostSightings { sightings.removeFirst() }
    sightings.append(sighting)
    isHeldUp = false
  }

  mutating func endRemoval(_ end: RemovalEnd) {
    removalEnd = end
    isHeldUp = false
  }

  /// A session has ended: the next one says anew what has to begin anew.
  mutating func sessionEnded() {
    restarts = []
    unknownHere = nil
  }

  /// Others have taken the streams' place: what was to be noted of them is of the past.
  mutating func streamsReplaced() {
    stored = [:]
    restarts = []
  }

  /// Returns what has to be noted now; nil when nothing does or a note is under way.
  ///
  /// - Parameter proof: what a session proves of a pairing that waits for its other half.
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
    if isInStep {
      isInStep = false
      return .inStep
    }
    return nil
  }

  /// The note under way is durable.
  mutating func noted() -> LinkNote? {
    defer { present = nil }
    return present
  }

  /// The note under way is not durable: it waits, unless something newer has taken its place or the next session says it again.
  ///
  /// - Returns: whether a session depends on it.
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
    // Without it, the peer tells it again in the next session.
    case .told, .inStep: break
    }
    switch note {
    case .forget, .setBack, .restart, .keyNamed, .opened, .removalTold: return true
    case .quarantine, .removalSent, .removalMetSilence, .told, .inStep: return false
    }
  }
}
