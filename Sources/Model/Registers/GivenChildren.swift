/// Whose a child's machine is, as far as a parent acts by it.
///
/// Spec: Protocol/10-household.md §2.
extension Sequence<Register> {
  /// The registers of a machine's zone by which a parent decides what the machine is sent.
  ///
  /// These are the parent's own, with a child left out whom another parent has taken from the
  /// machine since. What the machine tells can therefore end that it is sent a child's registers,
  /// and never begin it.
  ///
  /// - Parameter told: What the machine says that it holds.
  /// - Returns: The registers.
  public func narrowed(by told: some Sequence<Register>) -> [Register] {
    var taken: [RegisterMap.Place: Register] = [:]
    for register in told where register.key.servedChild != nil && register.servedChild == nil {
      taken[.init(register.zone, register.key)] = register
    }
    return map { register in
      guard register.servedChild != nil, let later = taken[.init(register.zone, register.key)],
        later.holds(over: register)
      else { return register }
      return later
    }
  }
}
