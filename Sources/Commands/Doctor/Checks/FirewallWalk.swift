/// The path of an imaginary packet through the chains of a packet filter.
struct FirewallWalk {
  let chains: [FirewallChain]

  enum Fate: Sendable, Hashable {
    case passes
    case dropped
    /// The fate depends on a condition that is not understood.
    case unclear
  }

  private enum Step {
    case accepted
    case dropped
    case unclear
    /// No rule applies, so the calling chain continues.
    case goesOn
  }

  /// Returns the fate of a packet at a hook; it passes only if every chain there accepts it.
  func fate(of packet: FirewallPacket, at hook: String) -> Fate {
    var fate = Fate.passes
    for chain in chains where chain.hook == hook && chain.sees(packet) {
      switch walk(chain, packet, depth: 0) {
      case .dropped: return .dropped
      case .unclear: fate = .unclear
      case .accepted: break
      case .goesOn: if chain.drops { return .dropped }
      }
    }
    return fate
  }

  private func walk(_ chain: FirewallChain, _ packet: FirewallPacket, depth: Int) -> Step {
    // Rules cannot form a circle, but the text that was read may claim that they do.
    guard depth < 32 else { return .unclear }
    var isUnclear = false
    for rule in chain.rules where rule.mayMeet(packet) {
      var step = Step.goesOn
      var leaves = false
      switch rule.verdict {
      case .none: continue
      case .accept: step = .accepted
      case .drop: step = .dropped
      case .returns: leaves = true
      case .jump(let name), .goTo(let name):
        if case .goTo = rule.verdict { leaves = true }
        guard let next = chains.first(where: { $0.table == chain.table && $0.name == name }) else { continue }
        step = walk(next, packet, depth: depth + 1)
      }
      if rule.hasMore {
        if case .goesOn = step, !leaves { continue }
        isUnclear = true
        continue
      }
      switch step {
      case .goesOn: if leaves { return isUnclear ? .unclear : .goesOn }
      case .unclear: isUnclear = true
      case .accepted, .dropped: return isUnclear ? .unclear : step
      }
    }
    return isUnclear ? .unclear : .goesOn
  }
}
