import LatchkeyModel

/// An instruction from a link's machine to its interpreter.
///
/// Effects are carried out in order. Sessions and calls are identified by their numbers.
public enum LinkEffect: Sendable {
  // MARK: Connections

  /// Seal this batch and send it; call `filled` if the connection has no room for more, and
  /// `drained` once it has.
  case send(SessionBatch, on: Int)
  /// Read the next frame of this connection; sent when `wantsFrames` becomes `true` again.
  case read(Int)
  /// Lift the limits for unauthenticated connections, since the other side has proved its identity.
  case proven(Int)
  /// Close the connection once everything sent so far has left; report nothing more about it.
  case close(Int)
  /// Close the connection at once; report nothing more about it.
  case abort(Int)

  // MARK: Calls

  /// Look up the peer's possible addresses, then call `lookedUp`.
  case lookUpAddresses
  /// Call this address, read the answer with these keys, most likely first, and then call
  /// `callEnded` or `opened`.
  ///
  /// `offered` is the key of an incomplete pairing among these keys; it is an argument of `opened`.
  case call(Int, SocketEndpoint, keys: [[UInt8]], offered: [UInt8]?)
  /// Cancel a call; report nothing more about it.
  case giveUp(Int)

  // MARK: Disk

  /// Compare the last items that the Hello states with the database, to find numbers that were used
  /// twice; then call `judged` or `judgeFailed`.
  case judge(Int, Hello)
  /// Read items, then call `loaded` or `loadFailed`.
  case load(OutboxMachine.Load)
  /// Apply these runs in one transaction, then call `committed` or `commitFailed`.
  ///
  /// `sessionKey` is the pairwise key of the session that delivered them.
  case commit([ItemRun], sessionKey: [UInt8]?)
  /// Store this note, then call `noted` or `noteFailed`.
  case note(LinkNote)
  /// Read the streams in both directions in one transaction, then call `streamsRead` or
  /// `streamsUnread`.
  case readStreams

  // MARK: People

  /// Pass this on to people, logs and waiting callers.
  case tell(LinkNews)
}

/// Something that a link stores in addition to the items.
///
/// One note is stored at a time.
public enum LinkNote: Hashable, Sendable {
  /// Two live machines use the peer's identity (Protocol/04-session.md §10).
  case quarantine
  /// The peer has stored everything up to this position.
  ///
  /// Answer with `LinkNoteAnswer.stored`. Spec: Protocol/05-delivery.md §7.
  case forget(StreamPosition)
  /// The peer has streams that this machine does not know (Protocol/05-delivery.md §5).
  case setBack([StreamPosition])
  /// Give the rest of a stream a new epoch.
  ///
  /// Answer with `LinkNoteAnswer.restarted`. Spec: Protocol/05-delivery.md §5.
  case restart(StreamClass, RestartCause)
  /// The peer names the key with which it answers (Protocol/04-session.md §9).
  case keyNamed([UInt8])
  case opened(LinkSighting, LinkSighting.Proof, isInStep: Bool)
  /// No item waits in either direction.
  case inStep
  /// The peer states the addresses where it can be called.
  case told([SocketEndpoint])
  /// The peer states the names of the two devices.
  case labels(SessionLabels)
  /// The removal was sent in a session.
  ///
  /// Answer with `LinkNoteAnswer.count`. Spec: Protocol/06-messages.md §7.
  case removalSent
  /// A call was answered with silence; answer with `LinkNoteAnswer.count`.
  case removalMetSilence
  /// The peer knows that it was removed, or is assumed to know: erase its last keys.
  case removalTold(RemovalEnd)
}

/// The reason why a removed peer is assumed to know of its removal.
public enum RemovalEnd: String, Hashable, Sendable {
  case taken = "the peer has acknowledged it"
  case silent = "the peer has been silent since it was sent"
  case sentOften = "it was sent often enough"
}

public enum LinkNoteAnswer: Hashable, Sendable {
  case done
  /// For `LinkNote.forget`: whether the items contained keys, which are now in use.
  case stored(hasNewKeys: Bool)
  case restarted(OutboxPosition)
  /// For the notes of a removal: how many notes of that kind were stored so far.
  case count(Int)
}

/// A session that was opened and is not in the database yet.
public struct LinkSighting: Hashable, Sendable {
  /// The proof that a session gives about a pairing that only one side has completed so far.
  public enum Proof: Hashable, Sendable {
    case nothing
    /// The peer has completed the pairing.
    case completes
    /// The peer has rolled the pairing back.
    case refutes
  }

  /// The peer's `host:port` if this side called.
  public var address: String?
  /// The pairwise key of the session, 32 bytes.
  public var pairwiseKey: [UInt8]
  /// The key of an incomplete pairing that this side offered; `nil` if it offered none, or the peer
  /// called.
  public var offeredKey: [UInt8]?
}

/// A failure of the disk or the database.
public struct LinkFault: Error, Hashable, Sendable {
  /// A Boolean value that indicates whether the operation may succeed once the disk has recovered.
  ///
  /// If so, the note waits, and no session has to end.
  public var isOfDisk: Bool
  /// One sentence that describes the failure to a person.
  public var text: String

  public init(isOfDisk: Bool, text: String) { (self.isOfDisk, self.text) = (isOfDisk, text) }
}

/// An event on a link for people, logs and waiting callers.
public enum LinkNews: Hashable, Sendable {
  case opened(Int, Hello)
  /// The first of two sessions is kept.
  case kept(Int, insteadOf: Int)
  case ended
  /// The number of items that wait or are on their way has changed.
  case moved
  /// The peer has reported items as stored.
  case stored(StreamPosition)
  /// The link's activity or its last error has changed.
  case changed
  /// A side broke a rule, or the peer refuses the session.
  case fault(SessionFault, on: Int)
  case goodbye(Goodbye)
  /// The peer refuses this machine's keys.
  case turnedAway
  case quarantined
  case restarting(StreamClass, RestartCause)
  /// An attempt to reach the peer at an address failed.
  case missed(SocketEndpoint, CallOutcome)
  /// The peer has removed this device.
  case removed
}

/// The last error of a link, for people.
public enum LinkTrouble: Hashable, Sendable {
  /// No call reached the peer.
  case unreached(CallOutcome)
  case fault(SessionFault)
  /// The peer has stopped responding.
  case unheard
  case version
  /// The peer refuses this machine's keys.
  case turnedAway
  case disk(String)
}
