import LatchkeyModel

extension Latchkey_V1_Facts {
  init(_ facts: [LatchkeyModel.Fact]) {
    self.init()
    self.facts = facts.map { fact in
      var message = Fact()
      message.child = WireBytes(fact.child.bytes)
      message.kind = fact.kind.rawValue
      message.text = fact.text
      return message
    }
  }

  func value() throws(WireError) -> [LatchkeyModel.Fact] {
    guard (1...Limits.factItems).contains(facts.count) else { throw WireError("\(facts.count) facts") }
    var list: [LatchkeyModel.Fact] = []
    for message in facts {
      guard let child = ChildID(bytes: Array(message.child)) else { throw WireError("a fact about no child") }
      guard let kind = FactKind(rawValue: message.kind) else { throw WireError("a fact of a malformed kind") }
      if let fault = TextRule.fact.fault(in: message.text) { throw WireError(fault) }
      list.append(LatchkeyModel.Fact(child, kind, message.text))
    }
    return list
  }
}
