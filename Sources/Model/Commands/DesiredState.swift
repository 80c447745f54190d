/// Something that commands set and of which the newest command decides: an application's rules, the family's rules.
public protocol HouseholdThing: Hashable, Sendable {
  /// The key under which commands for it replace each other. Spec: Protocol/05-delivery.md §10.
  var key: String { get }
  /// A Boolean value that indicates whether it is one thing for the whole family, and not one on each machine.
  var isFamilyWide: Bool { get }

  /// Returns what holds on this child's machine, which may be that it was removed; `nil` if it was never set.
  func held(in transaction: inout some EffectTransaction) throws -> StateInForce?
  /// Makes a state hold on this child's machine.
  func hold(_ state: StateInForce, in transaction: inout some EffectTransaction) throws

  /// Returns what a parent shows of it for a child's machine.
  func shown(on device: DeviceID, in transaction: inout some EffectTransaction) throws -> ShownState
  /// Makes a state what a parent shows of it.
  ///
  /// - Parameter isNews: whether it differs from what was shown, which the audit tells.
  func show(_ shown: ShownState, on device: DeviceID, isNews: Bool, in transaction: inout some EffectTransaction) throws
}

/// What a parent's node shows of a thing.
public struct ShownState: Hashable, Sendable {
  /// What is shown, as if the machine only recorded it; `nil` for nothing.
  public var state: StateInForce?
  /// What the child reported of it; `nil` until it has.
  public var enforcement: Enforcement?

  public init(_ state: StateInForce?, _ enforcement: Enforcement? = nil) {
    self.state = state.flatMap { $0.isNothing ? nil : $0.with(.recorded) }
    self.enforcement = self.state == nil ? nil : enforcement
  }
}

/// What a command sets.
public struct DesiredState: Sendable {
  public var thing: any HouseholdThing
  /// What holds once it is executed.
  public var state: StateInForce
  /// When it was set: of two commands for one thing, the later one decides, in whatever order they come.
  public var modified: HybridTimestamp

  public init(_ thing: any HouseholdThing, _ state: StateInForce, modified: HybridTimestamp) {
    self.thing = thing
    self.state = state
    self.modified = modified
  }

  /// What a parent shows while this is the newest.
  public var shown: ShownState { ShownState(state) }

  /// A Boolean value that indicates whether a state is of the same thing and was set later.
  public func isOlder(than other: StateInForce) -> Bool {
    guard other.thing == thing.key, let at = other.setAt else { return false }
    return at > modified
  }

  /// Makes it hold on a child's machine unless something later does.
  public func takeEffect(in transaction: inout some EffectTransaction) throws -> EffectOutcome {
    if let held = try thing.held(in: &transaction), isOlder(than: held) { return .superseded(held) }
    try thing.hold(state, in: &transaction)
    // What is reported is what is kept.
    guard let held = try thing.held(in: &transaction) else { throw BodyFault("The rule was not kept: give it again.") }
    return .done(held)
  }
}
