import LatchkeyModel

/// Spec: Protocol/10-household.md §6.
extension Latchkey_V1_Conditions {
  init(_ conditions: [MachineCondition]) {
    self.init()
    self.conditions = conditions.map(Latchkey_V1_Condition.init)
  }

  func value() throws(WireError) -> [MachineCondition] { try conditions.values(atMost: MachineCondition.most) }
}

extension Latchkey_V1_Condition {
  init(_ condition: MachineCondition) {
    self.init()
    name = condition.name
    if let number = condition.account { account = number }
    detail = condition.detail
  }
}

extension [Latchkey_V1_Condition] {
  func values(atMost most: Int) throws(WireError) -> [MachineCondition] {
    guard count <= most else { throw WireError("\(count) conditions") }
    var list: [MachineCondition] = []
    for message in self {
      let condition = MachineCondition(
        message.name, account: message.hasAccount ? message.account : nil, detail: message.detail)
      if let fault = condition.fault { throw WireError(fault) }
      guard !list.contains(condition) else { throw WireError("a condition named twice") }
      list.append(condition)
    }
    return list
  }
}
