import LatchkeyModel
import Testing

@testable import LatchkeyCommands

/// The words for whose an account is.
@Suite struct AccountTextTests {
  @Test("What a machine says of an account that nobody has decided about is shown as its word, and safely")
  func statement() {
    var account = SampleValues.accounts[2]
    #expect(AccountText.owner(account) == "not assigned")
    account.account.statedChild = "Emma"
    #expect(AccountText.owner(account) == "not assigned; Emma's by the machine's word")
    account.account.statedChild = "E\u{202E}mma\u{1B}[1m"
    let shown = AccountText.owner(account)
    #expect(!shown.unicodeScalars.contains("\u{202E}") && !shown.unicodeScalars.contains("\u{1B}"), "\(shown)")
    account.owner = .nobody
    #expect(AccountText.owner(account) == "not supervised")
  }
}
