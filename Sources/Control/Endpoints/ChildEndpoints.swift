import LatchkeyModel

extension Path {
  static let child = text("child", "A child's name, or a beginning of it that fits no other child.")
}

extension Endpoints {
  static let children: [Route] = [
    getChildren.route, addChild.route, renameChild.route, removeChild.route, getAccounts.route, waitForAccounts.route,
    assignAccount.route,
    getRules.route, setRules.route,
    grantTime.route,
  ]

  static let getChildren = Endpoint(
    .get, "/v1/children", whoMay: .operatorsAndChild,
    summary: "The children of the family; on a child those whose machine it is; for a child itself."
  ) { call in
    let children = try await call.node.children()
    guard let own = call.caller.child else { return children }
    return children.filter { $0.childID == own.id }
  }

  static let addChild = Endpoint(
    .post, "/v1/children", Body.json(ChildNameRequest.self), created: true, errors: [.wrongRole],
    summary: "Adds a child, on a parent."
  ) { call, request in
    try await call.node.addChild(request)
  }

  static let renameChild = Endpoint(
    .post, "/v1/children/{child}/rename", Path.child, Body.json(ChildNameRequest.self),
    errors: [.unknownChild, .ambiguousChild, .wrongRole], summary: "Gives a child another name, on a parent."
  ) { call, child, request in
    try await call.node.renameChild(child, request)
  }

  static let removeChild = Endpoint(
    .delete, "/v1/children/{child}", Path.child, errors: [.unknownChild, .ambiguousChild, .wrongRole],
    summary: "Removes a child from the family, on a parent. Its machines and accounts then belong to no child."
  ) { call, child in
    try await call.node.removeChild(child)
  }

  static let getRules = Endpoint(
    .get, "/v1/rules", Query.text("child", "The child; may be absent if there is only one."),
    errors: [.unknownChild, .ambiguousChild], summary: "The rules of a child."
  ) { call, child in
    try await call.node.rules(ofChild: child)
  }

  static let setRules = Endpoint(
    .post, "/v1/children/{child}/rules", Path.child, Body.json(RuleRequest.self),
    errors: [.unknownChild, .ambiguousChild, .wrongRole],
    summary: "Sets rules of a child, on a parent. They are durable when the answer comes."
  ) { call, child, request in
    try await call.node.setRules(ofChild: child, request)
  }

  static let grantTime = Endpoint(
    .post, "/v1/children/{child}/grant", Path.child, Body.json(GrantRequest.self),
    errors: [.unknownChild, .ambiguousChild, .wrongRole],
    summary:
      "Grants a child more time for the rest of the family's day, on a parent. It is durable when the answer comes."
  ) { call, child, request in
    try await call.node.grant(toChild: child, request)
  }

  static let getAccounts = Endpoint(
    .get, "/v1/accounts", Query.device, errors: [.unknownDevice, .ambiguousDevice],
    summary: "The accounts of people on children's machines; on a child its own."
  ) { call, device in
    try await call.node.accounts(device: device)
  }

  static let waitForAccounts = Endpoint(
    .get, "/v1/devices/{device}/accounts/wait", Path.device, waits: true, errors: [.unknownDevice, .ambiguousDevice],
    summary: "The accounts of a child's machine, once it has told of them and it is known whose it is."
  ) { call, device in
    try await call.node.waitForAccounts(device: device)
  }

  static let assignAccount = Endpoint(
    .post, "/v1/accounts/assign", Body.json(AccountRequest.self),
    errors: [.unknownDevice, .ambiguousDevice, .unknownChild, .ambiguousChild, .unknownItem, .wrongRole],
    summary: "Says whose an account is, on a parent."
  ) { call, request in
    try await call.node.assignAccount(request)
  }
}

extension ControlClient: ChildrenAPI {
  /// Returns the children; on a child's node those whose machine it is.
  public func children() async throws(LocalAPIError) -> [ChildListing] { try await ask(Endpoints.getChildren) }

  /// Adds a child.
  public func addChild(_ request: ChildNameRequest) async throws(LocalAPIError) -> ChildListing {
    try await ask(Endpoints.addChild, request)
  }

  /// Gives a child another name.
  public func renameChild(_ child: String, _ request: ChildNameRequest) async throws(LocalAPIError) -> ChildListing {
    try await ask(Endpoints.renameChild, (child, request))
  }

  /// Removes a child from the family, and returns what was known of it.
  public func removeChild(_ child: String) async throws(LocalAPIError) -> ChildListing {
    try await ask(Endpoints.removeChild, child)
  }

  /// Returns the rules of a child.
  public func rules(ofChild child: String?) async throws(LocalAPIError) -> ChildRules {
    try await ask(Endpoints.getRules, child)
  }

  /// Sets rules of a child.
  public func setRules(ofChild child: String, _ request: RuleRequest) async throws(LocalAPIError) -> RuleEdit {
    try await ask(Endpoints.setRules, (child, request))
  }

  /// Grants a child more time for the rest of the family's day.
  public func grant(toChild child: String, _ request: GrantRequest) async throws(LocalAPIError) -> RuleEdit {
    try await ask(Endpoints.grantTime, (child, request))
  }

  /// Returns the accounts of children's machines; on a child's node its own.
  public func accounts(device: String?) async throws(LocalAPIError) -> [AccountListing] {
    try await ask(Endpoints.getAccounts, device)
  }

  /// Returns the accounts of a child's machine when it has told of them and it is known whose it is, or after 5 s.
  public func waitForAccounts(device: String) async throws(LocalAPIError) -> [AccountListing] {
    try await ask(Endpoints.waitForAccounts, device)
  }

  /// Says whose an account is.
  public func assignAccount(_ request: AccountRequest) async throws(LocalAPIError) -> AccountListing {
    try await ask(Endpoints.assignAccount, request)
  }
}
