import LatchkeyModel
import Testing

/// Tests of the value of a register that says whose an account is.
@Suite struct AccountOwnersTests {
  private static let ids = (1...9).map { "0000000\($0)-0000-7000-8000-000000000000" }

  @Test(
    "A value of one form is read as it is written",
    arguments: [[], [ids[0]], [ids[0], ids[1]], Array(ids.prefix(8))])
  func forms(ids: [String]) throws {
    let text = ids.isEmpty ? "nobody" : ids.joined(separator: " ")
    let owners = try #require(AccountOwners(text))
    #expect(owners.children == ids.compactMap { ChildID($0) } && owners.text == text)
    #expect(AccountOwners(owners.children.reversed()) == owners)
  }

  @Test(
    "A value of another form says nothing",
    arguments: [
      "", " ", "Nobody", "emma", ids[0] + " ", " " + ids[0], ids[0] + "  " + ids[1], ids[1] + " " + ids[0],
      ids[0] + " " + ids[0], ids[0] + "\n" + ids[1], "nobody " + ids[0], ids.joined(separator: " "),
      ids[0] + " " + ids[1].replacing("-", with: ""),
    ])
  func faults(text: String) { #expect(AccountOwners(text) == nil) }

  @Test("One child is read however its ID is written, and more than 8 share no account")
  func edges() throws {
    let child = try #require(ChildID(Self.ids[0]))
    #expect(AccountOwners(Self.ids[0].replacing("-", with: ""))?.children == [child])
    #expect(AccountOwners([child, child])?.children == [child])
    #expect(AccountOwners(Self.ids.compactMap { ChildID($0) }) == nil)
  }
}
