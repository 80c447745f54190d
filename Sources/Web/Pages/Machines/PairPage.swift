import LatchkeyModel
import LatchkeyNode

/// The page that begins a pairing: whose machine joins, and the codes that are open already.
enum PairPage {
  static let path = "/machines/pair"

  static let page = Page(path, whoMay: [.parent], template: template) { call in
    let children = try await call.node.ask(Endpoints.getChildren)
    let open = try await call.node.ask(Endpoints.getPairings)
    return ("Pair a machine", data(children, open))
  }

  static let template = """
    <h1>[[Pair a machine]]</h1>
    <section aria-labelledby="whose">
    <h2 id="whose">[[A child's machine]]</h2>
    <p>[[Install Latchkey on the child's machine first, as a child's. This page then shows a code, which is entered there.]]</p>
    <form method="post" action="\(path)" class="card">
    <input type="hidden" name="token" value="{{token}}">
    \(OwnerFields.template)
    <p class="row"><button>[[Show a code]]</button></p>
    </form></section>
    <section id="open" data-live>
    {{#hasOpen}}<h2>[[Codes that are open now]]</h2>
    <p>[[Each code lets one machine in.]]</p>
    <ul class="plain">{{#open}}
    <li><a href="\(path)/{{id}}">{{whose}}</a> <span class="age">{{time}}</span></li>
    {{/open}}</ul>{{/hasOpen}}</section>
    <section aria-labelledby="parent">
    <h2 id="parent">[[Another parent]]</h2>
    <p>[[Another parent's machine is not paired with this one, but with each child's: open a code on the other parent's \
    machine, and enter it on the child's. Both parents are told of each other, and what one sets holds for both.]]</p>
    </section>
    """

  static func data(_ children: [ChildListing], _ open: [PairingProgress]) -> PageData {
    let open = open.filter { $0.part == .inviter }
    let rows = open.map { PageData(known: ["id": $0.pairingID, "whose": whose($0), "time": time($0)]) }
    return ["owner": OwnerFields.data(children), "open": rows, "hasOpen": !open.isEmpty]
  }

  static func whose(_ pairing: PairingProgress) -> Phrase {
    guard let name = pairing.childName else { return Phrase("Code for one machine") }
    return Phrase("Code for {child}", ["child": DeviceName(sanitising: name).quotation])
  }

  /// Returns the time for which a code is valid, in whole minutes; `nil` if it is used up.
  static func time(_ pairing: PairingProgress) -> Phrase? {
    pairing.expiresInMilliseconds.map { left in
      Phrase(
        one: "Good for {count} minute.", other: "Good for {count} minutes.",
        count: Int(clamping: max(1, (max(0, left) + 59_999) / 60_000)))
    }
  }
}

/// The fields that say whose machine it is: a child of the family, or another one by its name.
enum OwnerFields {
  static let template = """
    {{#owner}}
    <div class="row">
    {{#hasChildren}}
    <label class="wide">[[Whose machine is it?]] <select name="child">
    {{#children}}<option{{#isChosen}} selected{{/isChosen}}>{{name}}</option>{{/children}}
    <option value="">[[another child's, named beside]]</option>
    </select></label>
    {{/hasChildren}}
    <label class="wide">{{label}} <input name="name" maxlength="64" autocomplete="off"{{#proposed}} value="{{.}}"{{/proposed}}></label>
    </div>{{/owner}}
    """

  static func data(_ children: [ChildListing], stated: String? = nil) -> PageData {
    let known = children.first { $0.name.text.lowercased() == stated?.lowercased() }
    return PageData(known: [
      "hasChildren": !children.isEmpty,
      "children": children.map { ["name": $0.name.text, "isChosen": $0.childID == known?.childID] as PageData },
      "label": children.isEmpty
        ? Phrase("The child's name, such as Emma, or Emma, Ben if they share it")
        : Phrase("Another child's name, or several with commas"),
      "proposed": known == nil ? stated : nil,
    ])
  }

  /// Returns the names in a form, with commas between them; empty for no child.
  static func names(_ fields: FormFields) -> String {
    ChildNames.split(fields["name"] ?? fields["child"] ?? "").joined(separator: ", ")
  }
}
