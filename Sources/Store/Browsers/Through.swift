/// The browser through which a person acts on this machine.
///
/// The audit's entries and the commands of a request are written with its label, whichever route
/// the request takes.
public enum Through {
  /// The label of the browser whose request is answered; `nil` for this machine's own programs.
  @TaskLocal public static var browser: String?
}
