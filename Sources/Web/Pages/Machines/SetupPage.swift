import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The page of questions after a pairing, one at a time: whose machine it is, which account there
/// is the child's, and two about time.
///
/// It shows the first open question, and goes on by itself when the machine answers one.
enum SetupPage {
  static let page = Page("/machines/{device}/setup", whoMay: [.parent], template: template) { call in
    let state = try await SetupState.read(call.node, call.parameters["device"] ?? "")
    return ("Set up a machine", data(state, at: call.query["at"]))
  }

  static let template = """
    <h1>[[Set up {machine}]]</h1>
    <section id="question" data-live>
    {{#wait}}<p class="word">{{sentence}}</p>
    <p><a href="{{address}}">[[Look again]]</a></p>{{/wait}}
    {{#owner}}
    <h2>[[Whose machine is it?]]</h2>
    {{#statement}}<p>{{.}}</p>{{/statement}}
    <form method="post" action="/machines/setup/owner" class="card">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="device" value="{{device}}">
    \(OwnerFields.template)
    <p class="row"><button>[[Save]]</button></p>
    </form>{{/owner}}
    {{#accounts}}
    <h2>[[Which account there is {child}'s?]]</h2>
    <p>[[Time is counted and limited in this account.]]</p>
    {{#statement}}<p>{{.}}</p>{{/statement}}
    <form method="post" action="/machines/setup/account" class="card">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="device" value="{{device}}">
    <input type="hidden" name="child" value="{{childID}}">
    <fieldset><legend>[[Accounts on {machine}]]</legend>
    {{#choices}}
    <label class="choice"><input type="radio" name="account" value="{{uid}}" required{{#isChosen}} checked{{/isChosen}}> \
    {{name}}{{#full}} ({{.}}){{/full}}{{#shared}} <span class="age">{{.}}</span>{{/shared}}</label>
    {{/choices}}</fieldset>
    {{#hasSharers}}
    <fieldset><legend>[[Who uses it as well?]]</legend>
    {{#sharers}}
    <label class="choice"><input type="checkbox" name="share:{{id}}" value="on"> {{name}}</label>
    {{/sharers}}
    <p class="note">[[Children who share an account say with a PIN who is there: `latchkey children pin` gives each one.]]</p>
    </fieldset>{{/hasSharers}}
    <p class="row"><button>[[Save]]</button></p>
    </form>{{/accounts}}
    {{#limit}}
    <h2>[[How long may {child} use the screen a day?]]</h2>
    <p>[[When the time is used up, nothing is open but what is always allowed. Each weekday can have its own limit later.]]</p>
    <form method="post" action="/machines/setup/limit" class="card">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="device" value="{{device}}">
    <input type="hidden" name="child" value="{{childID}}">
    <label>[[Time a day, such as 2h or 1h30m]] <input name="limit" value="{{usual}}" maxlength="20" required autocomplete="off"></label>
    <p class="row"><button>[[Save]]</button></p>
    </form>{{/limit}}
    {{#bedtime}}
    <h2>[[When does {child} go to bed?]]</h2>
    <p>[[Nothing is open then but what is always allowed.]]</p>
    <form method="post" action="/machines/setup/bedtime" class="card">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="device" value="{{device}}">
    <input type="hidden" name="child" value="{{childID}}">
    <div class="row">
    <label>[[From]] <input type="time" name="from" value="20:00" required></label>
    <label>[[Until]] <input type="time" name="until" value="07:00" required></label>
    </div>
    <p class="row"><button>[[Save]]</button></p>
    </form>{{/bedtime}}
    {{#isDone}}<p>[[No question about this machine is open.]]</p>{{/isDone}}
    {{#skip}}<p><a href="{{address}}">{{name}}</a></p>{{/skip}}
    </section>
    """

  /// Returns the path of the questions about a machine, from a question on.
  static func path(of device: DeviceID, at question: SetupQuestion? = nil) -> String {
    "/machines/\(device.description)/setup" + (question.map { "?at=\($0.key)" } ?? "")
  }

  /// Returns the path after a question: that of the next question, or of the first page if there is
  /// none.
  static func path(after key: String, _ state: SetupState) -> String {
    state.next(from: key, isAfter: true).map { path(of: state.device.deviceID, at: $0) } ?? "/"
  }

  static func data(_ state: SetupState, at key: String?) -> PageData {
    let name = state.device.name
    var data: PageData = ["machine": Phrase.quoted(name.text), "device": state.device.deviceID.description]
    let machine = ["machine": name.quotation]
    let question = state.next(from: key)
    func wait(_ sentence: Phrase) -> PageData {
      ["sentence": sentence, "address": path(of: state.device.deviceID, at: question)]
    }
    if state.isWaiting {
      data["wait"] = wait(Phrase("{machine} has not been in touch yet: the questions come as soon as it is.", machine))
    }
    if let question {
      data.merge(shown(question, state)) { $1 }
      if question.kind == .account, state.accounts.isEmpty {
        data["accounts"] = nil
        data["wait"] = wait(
          Phrase("{machine} has not told of its accounts yet: they stand here as soon as it has.", machine))
      }
    }
    data["isDone"] = question == nil && !state.isWaiting
    let next = question.map { path(after: $0.key, state) } ?? "/"
    let isLast = next == "/"
    let skip = isLast ? Phrase("Skip this question, and go on to Today") : Phrase("Skip this question")
    data["skip"] = ["address": next, "name": question == nil ? Phrase("Go on to Today") : skip] as PageData
    return data
  }

  private static func shown(_ question: SetupQuestion, _ state: SetupState) -> PageData {
    let child = state.owners.first { $0.childID == question.child }
    var about: PageData = ["child": child?.name.text ?? "", "childID": question.child?.description ?? ""]
    let stated = state.accounts.stated
    let statement = stated.map { [AccountListing].statement(state.device.name, $0.child, $0.accounts) }
    switch question.kind {
    case .owner:
      about.merge(["owner": OwnerFields.data(state.children, stated: stated?.child)]) { $1 }
      if let statement { about["statement"] = statement }
      return ["owner": about]
    case .account:
      about["choices"] = state.choices(of: child).map { choice($0, child?.name.text ?? "") }
      let sharers = state.owners.filter { $0.childID != question.child && !state.hasAccount($0) }
      about["sharers"] = sharers.map { ["id": $0.childID.description, "name": $0.name.text] as PageData }
      about["hasSharers"] = !sharers.isEmpty
      if let statement, stated?.child.lowercased() == child?.name.text.lowercased() { about["statement"] = statement }
      return ["accounts": about]
    case .limit:
      about["usual"] = SpanText.phrase(minutes: 120)
      return ["limit": about]
    case .bedtime: return ["bedtime": about]
    }
  }

  private static func choice(_ listing: AccountListing, _ child: String) -> PageData {
    let account = listing.account
    let names = ["names": Phrase.Argument.phrase(PageWords.list(listing.childNames.map(\.text)))]
    return PageData(known: [
      "uid": Int(account.uid), "name": account.name, "isChosen": account.isStated(child),
      "full": account.fullName.isEmpty || account.fullName == account.name ? nil : account.fullName,
      "shared": listing.childNames.isEmpty ? nil : Phrase("used by {names}, who share it then", names),
    ])
  }
}

/// A question about a paired machine.
///
/// A person may skip it.
struct SetupQuestion: Hashable, Sendable {
  enum Kind: String, Hashable, Sendable {
    case owner
    case account
    case limit
    case bedtime
  }

  var kind: Kind
  /// The child that the question is about; `nil` for `owner`.
  var child: ChildID?

  /// The question in an address, such as `limit-019b…`.
  var key: String { child.map { "\(kind.rawValue)-\($0.description)" } ?? kind.rawValue }
}

/// The state from which the questions about a machine follow.
struct SetupState: Sendable {
  var device: RegisteredDevice
  var children: [ChildListing]
  var accounts: [AccountListing]
  /// The keys of the rules of each owner.
  var rules: [ChildID: [RegisterKey]]

  /// Asks the node.
  ///
  /// - Throws: `LocalAPIError`, and `PageFault` if no such machine is a child's.
  static func read(_ node: any NodeInterface, _ device: String) async throws -> SetupState {
    let peers = try await node.ask(Endpoints.getDevices)
    let peer = try MachinePage.peer(device, peers)
    guard peer.device.role == .child else {
      throw PageFault(400, "That is a parent's machine, which belongs to no child: choose a child's.")
    }
    let children = try await node.ask(Endpoints.getChildren)
    var state = SetupState(
      device: peer.device, children: children,
      accounts: try await node.ask(Endpoints.getAccounts, peer.device.deviceID.description), rules: [:])
    for child in state.owners {
      let rules = try await node.ask(Endpoints.getRules, child.childID.description)
      state.rules[child.childID] = (rules.rules + rules.family).map(\.key)
    }
    return state
  }

  var owners: [ChildListing] { children.filter { $0.machines.contains(device.name) } }

  /// A Boolean value that indicates whether the machine was paired for a child and is not assigned
  /// to it yet, because it has not been in touch.
  var isWaiting: Bool { device.childName != nil && owners.isEmpty }

  /// All questions in order, including answered ones.
  private var all: [SetupQuestion] {
    [SetupQuestion(kind: .owner, child: nil)]
      + owners.map(\.childID).flatMap { child in
        [.account, .limit, .bedtime].map { SetupQuestion(kind: $0, child: child) }
      }
  }

  /// Returns the next open question, from a question on or after it; `nil` if there is none.
  func next(from key: String?, isAfter: Bool = false) -> SetupQuestion? {
    let start = all.firstIndex { $0.key == key }
    return all[(start.map { isAfter ? $0 + 1 : $0 } ?? 0)...].first(where: isOpen)
  }

  private func isOpen(_ question: SetupQuestion) -> Bool {
    guard let child = owners.first(where: { $0.childID == question.child }) else {
      return question.kind == .owner && device.childName == nil && owners.isEmpty
    }
    let keys = rules[child.childID] ?? []
    switch question.kind {
    case .owner: return false
    case .account: return !hasAccount(child) && (accounts.isEmpty || !choices(of: child).isEmpty)
    case .limit:
      let limit = ChildRule.dailyLimit.key.text
      // There may be limits only for weekdays.
      return !keys.contains { $0.text == limit || $0.text.hasPrefix(limit + "/") }
    case .bedtime: return !keys.contains { $0.text == ChildRule.bedtime.key.text }
    }
  }

  /// Returns whether the child has an account on the machine, alone or shared.
  func hasAccount(_ child: ChildListing) -> Bool {
    accounts.contains { $0.owner == .child && $0.childNames.contains(child.name) }
  }

  /// Returns the accounts that can be a child's: unassigned accounts, and then accounts of other
  /// children, with whom the child would share.
  func choices(of child: ChildListing?) -> [AccountListing] {
    accounts.filter { $0.owner == .open }
      + accounts.filter { listing in
        listing.owner == .child && listing.childNames.count < AccountOwners.most
          && child.map { !listing.childNames.contains($0.name) } ?? false
      }
  }
}
