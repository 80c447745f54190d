/// The outcome of a command's effect on a child's machine.
public enum EffectOutcome: Hashable, Sendable {
  case done(StateInForce)
  /// A state that was set later is in force instead.
  case superseded(StateInForce)
  /// The effect failed for a reason: one sentence with the next step.
  case failed(reason: ToldSentence)
  /// Something outside the database must carry out the effect; the receipt follows when it has.
  case underWay(EffectWait)
}

/// A condition that the effect of a command waits for.
public struct EffectWait: Hashable, Sendable {
  /// The condition as a phrase after “waits for”, at most 255 bytes.
  public var what: ToldSentence
  /// The time in which the effect must have an outcome, in milliseconds of this machine's age.
  public var within: Int64
  /// The state that the machine holds already, which answers the command if nothing more is known
  /// in time; `nil` if the command fails then.
  public var held: StateInForce?

  public init(_ what: ToldSentence, within: Int64, held: StateInForce? = nil) {
    self.what = what
    self.within = within
    self.held = held
  }
}

/// An effect that something outside the database must carry out, stored until it has an outcome.
public struct PendingEffect: Hashable, Sendable {
  public var commandID: CommandID
  /// The parent's machine that issued the command, which receives the receipt.
  public var author: DeviceID
  public var payload: CommandPayload
  public var wait: EffectWait

  public init(commandID: CommandID, author: DeviceID, payload: CommandPayload, wait: EffectWait) {
    self.commandID = commandID
    self.author = author
    self.payload = payload
    self.wait = wait
  }

  /// Returns the outcome of an effect whose time is over.
  public static func late(_ wait: EffectWait) -> EffectOutcome {
    if let held = wait.held { return .done(held) }
    return .failed(
      reason: ToldSentence(
        Phrase(
          "It waited for {what} for longer than it may: look at that machine, and give the command again.",
          ["what": .phrase(wait.what.said)])))
  }
}
