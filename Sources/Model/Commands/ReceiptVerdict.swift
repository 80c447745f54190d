/// The meaning of a final receipt after comparison with its command.
///
/// Spec: Protocol/06-messages.md §4.
public enum ReceiptVerdict: Hashable, Sendable {
  /// The state that the command sets is in force exactly, with how far the child's machine enforces
  /// it.
  case inForce(Enforcement?)
  /// Another state is in force that was set later than this command.
  case overtaken(StateInForce)
  /// The child's machine refused the command for a reason: one sentence.
  case refused(reason: ToldSentence)
  /// The command expired before it was executed.
  case expired
  /// The receipt reports a state that the command did not ask for, or none.
  case contradicts(StateInForce?)

  /// Creates the verdict on an outcome for a command; `nil` if the command is still under way.
  public init?(_ outcome: CommandReceipt.Outcome, of payload: CommandPayload) {
    switch outcome {
    case .executed(let state):
      self = payload.value.isAnswered(by: state) ? .inForce(state.enforcement) : .contradicts(state)
    case .superseded(let state?):
      self = payload.value.isOvertaken(by: state) ? .overtaken(state) : .contradicts(state)
    case .superseded(nil): self = .contradicts(nil)
    case .failed(let reason): self = .refused(reason: reason)
    case .expired: self = .expired
    case .underWay: return nil
    }
  }

  public var status: CommandStatus {
    switch self {
    case .inForce: .executed
    case .overtaken: .superseded
    case .refused, .contradicts: .failed
    case .expired: .expired
    }
  }
}
