import LatchkeyModel

/// Spec: Protocol/10-household.md §6.
extension Latchkey_V1_Conditions {
  init(_ conditions: [MachineCondition]) {
    self.init()
    self.conditions = conditions.map { condition in
      var message = Entry()
      message.name = condition.name
      if let account = condition.account { message.account = account }
      message.detail = condition.detail
      return message
    }
  }

  func value() throws(WireError) -> [MachineCondition] {
    guard conditions.count <= MachineCondition.most else { throw WireError("\(conditions.count) conditions") }
    var list: [MachineCondition] = []
    for message in conditions {
      let condition = MachineCondition(
        message.name, account: message.hasAccount ? message.account : nil, detail: message.detail)
      if let fault = condition.fault { throw WireError(fault) }
      guard !list.contains(condition) else { throw WireError("a condition named twice") }
      list.append(condition)
    }
    return list
  }
}
