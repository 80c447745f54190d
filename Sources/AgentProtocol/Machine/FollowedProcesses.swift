import LatchkeyModel

/// The processes of supervised accounts.
///
/// Those to which orders apply are kept apart, since the agent goes through them each time that something happens. An
/// account starts thousands of others in a few seconds when it builds software, also by an application: what has inherited that and
/// was not there at a second look at everything is among the others.
struct FollowedProcesses: Sendable {
  /// The processes that are an application or an unknown program, or that are being closed.
  private(set) var ruled: [ProcessIdentity: AgentMachine.Followed] = [:]
  private(set) var others: [ProcessIdentity: AgentMachine.Followed] = [:]
  /// The number of others up to which what has inherited an application and was seen once is one of them.
  private static let mostFleeting = 8_192
  /// The number of processes that are an application.
  ///
  /// Unknown programs are not among them: a child may start as many as it likes, and they take no room from applications.
  private(set) var applicationCount = 0

  var count: Int { ruled.count + others.count }

  var identities: [ProcessIdentity] { Array(ruled.keys) + others.keys }

  /// What is known of a process; `nil` if it is not followed.
  subscript(process: ProcessIdentity) -> AgentMachine.Followed? {
    get { ruled[process] ?? others[process] }
    set {
      if ruled[process]?.isApplication == true { applicationCount -= 1 }
      guard let newValue else {
        if ruled.removeValue(forKey: process) == nil { others[process] = nil }
        return
      }
      if newValue.isApplication { applicationCount += 1 }
      if newValue.closing != nil || newValue.match != nil && (!newValue.isFleeting || others.count >= Self.mostFleeting)
      {
        others[process] = nil
        ruled[process] = newValue
      } else {
        ruled[process] = nil
        others[process] = newValue
      }
    }
  }

  /// Removes a process, and returns what was known of it; `nil` if it is not followed.
  mutating func remove(_ process: ProcessIdentity) -> AgentMachine.Followed? {
    if let known = ruled.removeValue(forKey: process) {
      if known.isApplication { applicationCount -= 1 }
      return known
    }
    return others.removeValue(forKey: process)
  }
}
