/// A thing that commands set; the newest command wins.
public protocol HouseholdThing: Hashable, Sendable {
  /// The key under which commands for the thing replace each other.
  ///
  /// Spec: Protocol/05-delivery.md §10.
  var key: String { get }
  /// A Boolean value that indicates whether one state applies to the whole family instead of one to each machine.
  var isFamilyWide: Bool { get }

  /// Returns the state in force on this child's machine, including a removal; `nil` if the thing was never set.
  func held(in transaction: inout some EffectTransaction) throws -> StateInForce?
  /// Puts a state into force on this child's machine.
  func hold(_ state: StateInForce, in transaction: inout some EffectTransaction) throws

  /// Returns the state that a parent shows for a child's machine.
  func shown(on device: DeviceID, in transaction: inout some EffectTransaction) throws -> ShownState
  /// Stores the state that a parent shows for a child's machine.
  ///
  /// - Parameters:
  ///   - shown: The state to show.
  ///   - device: The child's machine.
  ///   - isNews: Whether the state differs from the one shown before; if so, the audit records it.
  ///   - transaction: The transaction in which the state is stored.
  /// - Throws: The database's error if the state cannot be stored.
  func show(_ shown: ShownState, on device: DeviceID, isNews: Bool, in transaction: inout some EffectTransaction) throws
}

/// The state of a thing as a parent's node shows it.
public struct ShownState: Hashable, Sendable {
  /// The state, as if the machine only recorded it; `nil` for none.
  public var state: StateInForce?
  /// How far the child's machine enforces the state; `nil` until it has reported.
  public var enforcement: Enforcement?

  /// Creates a state to show.
  public init(_ state: StateInForce?, _ enforcement: Enforcement? = nil) {
    self.state = state.flatMap { $0.isNothing ? nil : $0.with(.recorded) }
    self.enforcement = self.state == nil ? nil : enforcement
  }
}

/// The state that a command sets.
public struct DesiredState: Sendable {
  /// The thing that is set.
  public var thing: any HouseholdThing
  /// The state in force after execution.
  public var state: StateInForce
  /// The time of the edit; the later of two edits wins, in whatever order they arrive.
  public var modified: HybridTimestamp

  /// Creates a state to set.
  public init(_ thing: any HouseholdThing, _ state: StateInForce, modified: HybridTimestamp) {
    self.thing = thing
    self.state = state
    self.modified = modified
  }

  /// The state that a parent shows while this edit is the newest.
  public var shown: ShownState { ShownState(state) }

  /// Returns whether another state is of the same thing and was set later.
  public func isOlder(than other: StateInForce) -> Bool {
    guard other.thing == thing.key, let at = other.setAt else { return false }
    return at > modified
  }

  /// Puts the state into force on a child's machine unless a later one already is.
  public func takeEffect(in transaction: inout some EffectTransaction) throws -> EffectOutcome {
    if let held = try thing.held(in: &transaction), isOlder(than: held) { return .superseded(held) }
    try thing.hold(state, in: &transaction)
    // The report contains what was stored.
    guard let held = try thing.held(in: &transaction) else { throw BodyFault("The rule was not kept: give it again.") }
    return .done(held)
  }
}
