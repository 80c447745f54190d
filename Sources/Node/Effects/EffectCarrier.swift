import LatchkeyModel

/// Carries out the effects of one kind of command that need something outside the database, such as
/// an agent that closes programs.
///
/// An effect is given to its carrier once in each run of the node, until it has an outcome. A
/// carrier may therefore be given one that it had carried out before the process ended, and must be
/// able to do it again without harm.
public protocol EffectCarrier: Sendable {
  /// The kind of command whose effects it carries out.
  var kind: CommandKind { get }

  /// Carries an effect out and returns its outcome, or `underWay` if it will never have one in this
  /// run.
  ///
  /// The task is cancelled when the node stops.
  func carryOut(_ effect: PendingEffect) async -> EffectOutcome
}
