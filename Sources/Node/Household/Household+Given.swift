import LatchkeyHousehold
import LatchkeyModel

/// Whose machines are, as this parent has said it, and what other parents and the machines
/// themselves say.
///
/// Spec: Protocol/10-household.md §2.
extension Household {
  /// A machine that another parent has taken from a child whom this one gave it.
  struct Taken: Sendable {
    var child: ChildID
    var by: DeviceID
  }

  /// Returns the children whose registers, use and facts a machine is sent: those that this parent
  /// has given it, without those that another parent has taken from it since.
  func given(_ device: DeviceID) -> [ChildID] {
    HouseholdKey.children(servedIn: ownZone(of: device).narrowed(by: toldZone(of: device)))
  }

  /// Returns the machines that are sent what is a child's.
  func given(to child: ChildID) -> [Machine] { machines.filter { given($0.device).contains(child) } }

  /// Returns the children whom another parent has taken from a machine, of those that this parent
  /// gave it.
  func taken(from device: DeviceID) -> [Taken] {
    let own = ownZone(of: device)
    return zip(own, own.narrowed(by: toldZone(of: device))).compactMap { given, present in
      guard let child = given.servedChild, present.servedChild == nil else { return nil }
      return Taken(child: child, by: present.modified.author)
    }
  }

  /// Returns the children whose machine a device says it is, which this parent has not said.
  func claimed(by device: DeviceID) -> [ChildID] {
    let given = given(device)
    return children(of: device).filter { !given.contains($0) }
  }

  /// Returns whether a machine is, was or says it is a child's.
  func isConcerned(_ device: DeviceID, _ child: ChildID) -> Bool {
    children(of: device).contains(child) || taken(from: device).contains { $0.child == child }
  }

  /// Returns the machines whose word about a child counts here: those that this parent has given
  /// the child.
  ///
  /// Without one, what this parent sends no machine is shown by the word of those that say they are
  /// the child's, or were.
  func tellers(of child: ChildID) -> [DeviceID] {
    let given = given(to: child).map(\.device)
    if !given.isEmpty { return given }
    return machines.map(\.device).filter { isConcerned($0, child) }
  }

  /// Returns the value of a register of a child's, with what other parents have set; `nil` if none
  /// is set.
  func rules(of child: ChildID, _ key: RegisterKey, besides device: DeviceID? = nil) -> String? {
    var merged = RegisterMap([registers[.child(child), key]].compactMap(\.self))
    for teller in tellers(of: child) where teller != device {
      if let register = told[teller]?[.child(child), key] { merged.merge(register) }
    }
    return merged.value(.child(child), key)
  }

  /// Returns the family's settings for days: those that all children's machines hold by what they
  /// tell, or else this parent's own.
  ///
  /// One machine's word therefore does not move the days of other machines' children.
  func familyDays() -> [Register] {
    let own = registers.registers(in: .family)
    let readings = machines.map { machine in
      var merged = RegisterMap(own)
      for register in told[machine.device]?.registers(in: .family) ?? [] { merged.merge(register) }
      return Self.dayKeys.map { merged[.family, $0] }
    }
    guard let first = readings.first, readings.allSatisfy({ $0 == first }) else { return own }
    return own.filter { !Self.dayKeys.contains($0.key) } + first.compactMap(\.self)
  }

  private static let dayKeys: [RegisterKey] = ["family/zone", "family/dayStart"]

  /// Returns a child's name by everybody's word but that of one machine; `nil` if nobody else has
  /// named the child.
  func name(of child: ChildID, besides device: DeviceID) -> String? {
    rules(of: child, HouseholdKey.name, besides: device)
  }

  private func ownZone(of device: DeviceID) -> [Register] { registers.registers(in: .machine(device)) }

  private func toldZone(of device: DeviceID) -> [Register] { told[device]?.registers(in: .machine(device)) ?? [] }
}
