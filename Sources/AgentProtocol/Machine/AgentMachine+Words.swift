import LatchkeyModel

extension AgentMachine {
  /// Returns the reason in the terms of an application, or of unknown programs, in an account; `nil` without terms.
  public func reason(of app: AppID?, in account: UInt32) -> String? { accounts[account]?.terms(of: app)?.reason }
}
