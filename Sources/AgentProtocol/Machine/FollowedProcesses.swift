import LatchkeyModel

/// The processes of supervised accounts.
///
/// The processes to which orders apply are kept separately, since the agent visits them at each
/// event. An account that builds software starts thousands of others in a few seconds, and so may
/// an application. A process with an inherited application that was seen in only one full scan is
/// therefore among the others.
struct FollowedProcesses: Sendable {
  /// The processes that are an application or an unknown program, or are being closed.
  private(set) var ruled: [ProcessIdentity: AgentMachine.Followed] = [:]
  private(set) var others: [ProcessIdentity: AgentMachine.Followed] = [:]
  /// The number of others up to which processes seen in only one full scan are kept among them.
  private static let mostFleeting = 8_192
  /// The number of processes that are an application.
  ///
  /// Unknown and other programs are not included. A child may start any number of them, and they
  /// take no room from applications.
  private(set) var applicationCount = 0

  var count: Int { ruled.count + others.count }

  var identities: [ProcessIdentity] { Array(ruled.keys) + others.keys }

  /// The state of a process; `nil` if it is not followed.
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

  /// Removes a process, and returns its state; `nil` if it is not followed.
  mutating func remove(_ process: ProcessIdentity) -> AgentMachine.Followed? {
    if let known = ruled.removeValue(forKey: process) {
      if known.isApplication { applicationCount -= 1 }
      return known
    }
    return others.removeValue(forKey: process)
  }
}
