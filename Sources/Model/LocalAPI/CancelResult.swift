/// What became of a command that a person took back, and of the earlier ones that it had replaced.
public struct CancelResult: Hashable, Sendable, Codable {
  /// The command that was taken back.
  public var command: ConfigurationCommand
  /// The earlier command for the same thing that is queued again; `nil` if there is none that the child has not answered.
  public var queuedAgain: ConfigurationCommand?
  /// Earlier commands for the same thing that had expired in the meantime, the newest first.
  public var expired: [ConfigurationCommand]

  /// Creates a result.
  public init(
    command: ConfigurationCommand, queuedAgain: ConfigurationCommand? = nil, expired: [ConfigurationCommand] = []
  ) {
    self.command = command
    self.queuedAgain = queuedAgain
    self.expired = expired
  }
}
