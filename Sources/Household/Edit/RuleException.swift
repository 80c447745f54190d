/// The words for what a child's machine carries out otherwise than an edit asks, or not at all.
///
/// A receipt carries the names, which are those of the conditions that doctor explains with the next step.
/// Spec: Protocol/06-messages.md §4.
public enum RuleException {
  private static let sentences = [
    "agent-silent": "No agent answers there.",
    "no-agent": "The node there was started without an agent.",
    "rule-no-account": "An account of the child is not there any more.",
    "rule-other-account": "Latchkey runs there in an account that has no rights over the child's programs.",
    "rule-matches-everything": "The application would be recognized in every program, so it is recognized in none.",
    "rule-needed-program":
      "The application would be recognized in a program that the machine needs, which is not closed.",
    "rule-bad-matcher": "The application cannot be recognized by what was given.",
    "rule-unrecognized": "The application is not recognized in any program there.",
    "cannot-pause": "Programs cannot be frozen there, so they are closed instead.",
    "cannot-close-sessions": "Sessions cannot be closed there, so programs are closed one by one.",
    "too-many-rules": "There are more rules than the agent there takes, so earlier ones still hold.",
    "orders-not-kept": "They could not be written to the disk there, and hold only until the agent is started again.",
    "no-process-events":
      "The kernel there does not tell of programs that start, so they are closed up to a second late.",
    "no-sessions": "Nothing tells of sessions there, so they are not locked before they are ended.",
  ]

  /// Returns a sentence for an exception, in which the machine is called “there”.
  public static func sentence(of name: String) -> String {
    sentences[name] ?? "Something is carried out otherwise there: update Latchkey on this machine to see what."
  }
}
