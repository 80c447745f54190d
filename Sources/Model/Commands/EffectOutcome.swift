/// How the effect of a command ended on a child's machine, or that it goes on.
public enum EffectOutcome: Hashable, Sendable {
  /// The state is in force.
  case done(StateInForce)
  /// Something that was set later holds instead.
  case superseded(StateInForce)
  /// It could not be done; one sentence with the next step.
  case failed(reason: String)
  /// Something outside the database has to carry it out: the receipt follows when that has an outcome.
  case underWay(EffectWait)
}

/// What the effect of a command waits for.
public struct EffectWait: Hashable, Sendable {
  /// What it waits for, after "waits for": at most 255 bytes.
  public var what: String
  /// Milliseconds of this machine's age, within which there has to be an outcome.
  public var within: Int64

  public init(_ what: String, within: Int64) {
    self.what = what
    self.within = within
  }
}

/// The effect of a command that something outside the database has to carry out, durable until it has an outcome.
public struct PendingEffect: Hashable, Sendable {
  public var commandID: CommandID
  /// The parent that gave the command, which gets the receipt.
  public var author: DeviceID
  public var payload: CommandPayload
  public var wait: EffectWait

  public init(commandID: CommandID, author: DeviceID, payload: CommandPayload, wait: EffectWait) {
    self.commandID = commandID
    self.author = author
    self.payload = payload
    self.wait = wait
  }

  /// What is said of an effect that had no outcome within its time.
  public static func lateReason(_ what: String) -> String {
    "It waited for \(what) for longer than it may: look at that machine, and give the command again."
  }
}
