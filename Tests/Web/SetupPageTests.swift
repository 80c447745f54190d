import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

/// The questions about a machine that was paired, and what follows each.
@Suite("The questions after a pairing")
struct SetupPageTests {
  private let emma = Sample.child("Emma")

  private func state(
    childName: String? = "Emma", children: [ChildListing]? = nil,
    accounts: [AccountListing] = [Sample.account("guest", isOpen: true)], rules: [String] = []
  ) -> SetupState {
    SetupState(
      device: Sample.peer(childName: childName).device, children: children ?? [emma], accounts: accounts,
      rules: [emma.childID: rules.compactMap { RegisterKey($0) }])
  }

  private func kinds(_ state: SetupState) -> [SetupQuestion.Kind] {
    var (kinds, question) = ([SetupQuestion.Kind](), state.next(from: nil))
    while let next = question {
      kinds.append(next.kind)
      question = state.next(from: next.key, isAfter: true)
    }
    return kinds
  }

  private func page(_ state: SetupState, at key: String? = nil) -> String {
    Sample.render(SetupPage.page, SetupPage.data(state, at: key))
  }

  @Test("Each question is asked that nothing answers yet, in order")
  func order() {
    #expect(kinds(state()) == [.account, .limit, .bedtime])
    #expect(kinds(state(accounts: [Sample.account("emma", of: ["Emma"])])) == [.limit, .bedtime])
    #expect(kinds(state(accounts: [Sample.account("mum")])) == [.limit, .bedtime], "No account is left to choose.")
    #expect(kinds(state(accounts: [])) == [.account, .limit, .bedtime], "The machine has not told of them yet.")
    #expect(kinds(state(rules: ["limits/daily/sat", "schedule/bedtime"])) == [.account])
    #expect(kinds(state(childName: nil, children: [])) == [.owner])
    #expect(kinds(state(children: [])).isEmpty, "It is known whose it is, and nothing more before it is in touch.")
    let shared = [emma, Sample.child("Ben", number: 8)]
    #expect(kinds(state(children: shared)) == [.account, .limit, .bedtime, .account, .limit, .bedtime])
  }

  @Test("Whose the machine is is asked with what its owner has said of its accounts")
  func owner() {
    let children = [Sample.child("Ben", number: 8, machines: []), Sample.child("Zoe", number: 9, machines: [])]
    let stated = [Sample.account("guest", stated: "zoe", isOpen: true)]
    let page = page(state(childName: nil, children: children, accounts: stated))
    for part in [
      "“Emma&#39;s PC” says that zoe uses guest there.", "<option>Ben</option>", "<option selected>Zoe</option>",
      "action=\"/machines/setup/owner\"", "name=\"device\" value=\"\(Sample.device)\"",
      "Skip this question, and go on to Today",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    let new = self.page(state(childName: nil, children: [], accounts: stated))
    #expect(new.contains("name=\"name\" maxlength=\"64\" autocomplete=\"off\" value=\"zoe\""), "\(new)")
  }

  @Test("The accounts of the machine are offered, or it is said that it has not told of them")
  func account() {
    let accounts = [
      Sample.account("guest", 1_001, isOpen: true), Sample.account("em", 1_002, stated: "Emma", isOpen: true),
      Sample.account("mum", 1_003),
    ]
    let page = page(state(accounts: accounts))
    for part in [
      "Which account there is Emma&#39;s?", "value=\"1001\" required>", "value=\"1002\" required checked>",
      "“Emma&#39;s PC” says that Emma uses em there.", "?at=limit-\(emma.childID)", "Skip this question",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(!page.contains("1003"))
    let silent = self.page(state(accounts: []))
    #expect(silent.contains("has not told of its accounts yet") && silent.contains("Look again"))
    #expect(!silent.contains("/machines/setup/account"))
    #expect(self.page(state(children: [])).contains("has not been in touch yet"))
  }

  @Test("An account of another child is offered to be shared, and others can be ticked")
  func sharedAccounts() {
    let ben = Sample.child("Ben", number: 8)
    let accounts = [Sample.account("ben", 1_001, of: ["Ben"]), Sample.account("guest", 1_002, isOpen: true)]
    let state = state(children: [emma, ben], accounts: accounts)
    let page = page(state)
    #expect(page.contains("used by Ben, who share it then") && page.contains("value=\"1001\" required>"), "\(page)")
    #expect(!page.contains("share:"), "Ben has an account.")
    let (first, second) = (emma.childID.description, ben.childID.description)
    #expect(SetupForms.sharing("1001", first, [], state) == [first, second])
    #expect(SetupForms.sharing("1002", first, [second, first, "other"], state) == [first, second])
    let open = self.state(children: [emma, ben])
    #expect(self.page(open).contains("name=\"share:\(second)\""))
    #expect(!self.page(open).contains("name=\"share:\(first)\""))
    let bens = self.state(children: [emma, ben], accounts: [accounts[0]])
    #expect(kinds(bens) == [.account, .limit, .bedtime, .limit, .bedtime])
  }

  @Test("The two questions about time have usual answers")
  func time() {
    let limit = page(state(), at: "limit-\(emma.childID)")
    #expect(limit.contains("How long may Emma use the screen a day?") && limit.contains("name=\"limit\" value=\"2 h\""))
    let bedtime = page(state(), at: "bedtime-\(emma.childID)")
    for part in ["When does Emma go to bed?", "value=\"20:00\"", "value=\"07:00\"", "and go on to Today"] {
      #expect(bedtime.contains(part), "\(part)")
    }
    let done = page(state(accounts: [Sample.account("mum")], rules: ["limits/daily", "schedule/bedtime"]))
    #expect(done.contains("No question about this machine is open.") && done.contains("href=\"/\">Go on to Today"))
    // One that is not asked any more begins with the first.
    #expect(page(state(), at: "limit-nobody").contains("Which account there"))
  }

  @Test("No name brings markup to the questions")
  func hostileNames() {
    let child = Sample.child(Sample.hostile, machines: [Sample.hostile])
    let account = Sample.account(Sample.hostile, stated: Sample.hostile, isOpen: true)
    var state = state(childName: nil, children: [], accounts: [account])
    state.device.name = DeviceName(sanitising: Sample.hostile)
    Sample.expectSafe(page(state))
    (state.children, state.device.childName) = ([child], Sample.hostile)
    for kind in ["account", "limit", "bedtime"] { Sample.expectSafe(page(state, at: "\(kind)-\(child.childID)")) }
  }
}
