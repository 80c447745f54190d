import LatchkeyModel

/// What whoever runs a link's machine has to do, in this order. Sessions and calls are named by their numbers.
public enum LinkEffect: Sendable {
  // MARK: Connections

  /// Seal this batch and send it. Say `filled` if the connection has no room for more, and `drained` once it has.
  case send(SessionBatch, on: Int)
  /// Take the next frame of this connection; said when `wantsFrames` has become true again.
  case read(Int)
  /// The other side has proved who it is: lift the limits of strangers.
  case proven(Int)
  /// Close the connection once everything sent so far has left. Nothing is said of it any more.
  case close(Int)
  /// Close the connection at once. Nothing is said of it any more.
  case abort(Int)

  // MARK: Calls

  /// Look up where the peer may be, then call `lookedUp`.
  case lookUpAddresses
  /// Call this address, and read the answer with these keys, the most likely first; then `callEnded`, or `opened`, which is
  /// told of `offered`, too: the key of a half-made pairing that is among them.
  case call(Int, SocketEndpoint, keys: [[UInt8]], offered: [UInt8]?)
  /// Give a call up. Nothing is said of it any more.
  case giveUp(Int)

  // MARK: Disk

  /// Look whether numbers were given out twice, by what the Hello says of the last items, then call `judged` or
  /// `judgeFailed`.
  case judge(Int, Hello)
  /// Read items, then call `loaded` or `loadFailed`.
  case load(OutboxMachine.Load)
  /// Bring these runs into force in one transaction, then call `committed` or `commitFailed`.
  ///
  /// `sessionKey` is the pairwise key of the session that brought them.
  case commit([ItemRun], sessionKey: [UInt8]?)
  /// Make this durable, then call `noted` or `noteFailed`.
  case note(LinkNote)
  /// Read the streams in both directions at one moment, then call `streamsRead` or `streamsUnread`.
  case readStreams

  // MARK: People

  /// Something that a person, a log or a waiting caller is told.
  case tell(LinkNews)
}

/// What a link has to make durable beside the items: one at a time, the next when the one before is.
public enum LinkNote: Hashable, Sendable {
  /// Two live machines use the peer's identity. Spec: Protocol/04-session.md §10.
  case quarantine
  /// Everything up to here is stored by the peer; answer with `LinkNoteAnswer.stored`. Spec: Protocol/05-delivery.md §7.
  case forget(StreamPosition)
  /// The peer holds streams that this machine knows nothing of. Spec: Protocol/05-delivery.md §5.
  case setBack([StreamPosition])
  /// Give what is left of a stream a new epoch; answer with `LinkNoteAnswer.restarted`. Spec: Protocol/05-delivery.md §5.
  case restart(StreamClass, RestartCause)
  /// The peer names the key that it answers with. Spec: Protocol/04-session.md §9.
  case keyNamed([UInt8])
  /// A session was opened.
  case opened(LinkSighting, LinkSighting.Proof, isInStep: Bool)
  /// Nothing waits in either direction.
  case inStep
  /// The peer says that it can be called there.
  case told([SocketEndpoint])
  /// The removal was sent in a session; answer with `LinkNoteAnswer.count`. Spec: Protocol/06-messages.md §7.
  case removalSent
  /// A call was met with silence; answer with `LinkNoteAnswer.count`.
  case removalMetSilence
  /// The peer knows that it is removed, or counts as knowing: its last keys are erased.
  case removalTold(RemovalEnd)
}

/// Why a removal counts as told.
public enum RemovalEnd: String, Hashable, Sendable {
  case taken = "it has taken it"
  case silent = "it is silent since it was sent its removal"
  case sentOften = "it was sent it often enough"
}

/// What making a note durable gave.
public enum LinkNoteAnswer: Hashable, Sendable {
  case done
  /// For `LinkNote.forget`: whether keys were among the items, which are in force now.
  case stored(hasNewKeys: Bool)
  /// For `LinkNote.restart`: where the stream is now.
  case restarted(OutboxPosition)
  /// For the notes of a removal: how many of their kind there were.
  case count(Int)
}

/// A session that was opened and is not noted in the database yet.
public struct LinkSighting: Hashable, Sendable {
  /// What a session proves of a pairing that waits for its other half.
  public enum Proof: Hashable, Sendable {
    case nothing
    /// The other half is there.
    case completes
    /// The peer has rolled it back.
    case refutes
  }

  /// `host:port` if we called.
  public var address: String?
  public var pairwiseKey: [UInt8]
  /// The key of a half-made pairing that our call offered; nil when it offered none, or the peer called.
  public var offeredKey: [UInt8]?
}

/// Why the disk could not do its part.
public struct LinkFault: Error, Hashable, Sendable {
  /// Whether it may do so once it is well again: then what could not be noted waits, and no session has to end.
  public var isOfDisk: Bool
  /// One sentence for people.
  public var text: String

  public init(isOfDisk: Bool, text: String) {
    self.isOfDisk = isOfDisk
    self.text = text
  }
}

/// What people, logs and waiting callers hear of a link.
public enum LinkNews: Hashable, Sendable {
  case opened(Int, Hello)
  /// Of two sessions the first is kept.
  case kept(Int, insteadOf: Int)
  case ended
  /// What waits, or is on its way, has changed.
  case moved
  /// The peer has reported items stored.
  case stored(StreamPosition)
  /// What goes on or what went wrong last has changed.
  case changed
  /// A rule was broken, or the peer refuses.
  case fault(SessionFault, on: Int)
  case goodbye(Goodbye)
  /// The peer talks to nobody with this machine's keys.
  case turnedAway
  case quarantined
  case restarting(StreamClass, RestartCause)
  /// A try at an address failed.
  case missed(SocketEndpoint, CallOutcome)
  /// The peer has removed this device.
  case removed
}
