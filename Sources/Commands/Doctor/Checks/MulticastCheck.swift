/// The check of whether multicast packets of this machine and of others are received.
struct MulticastCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    facts.multicast.flatMap { probe -> [Finding] in
      if let fault = probe.fault {
        return [
          Finding(
            "multicast-unsent", .warning, "Multicast could not be tried on \(probe.interface) (\(fault)).",
            next: "See that the interface is up and has an address, and that no firewall drops mDNS.")
        ]
      }
      if !probe.heardItself {
        return [
          Finding(
            "multicast-unheard", .fault, "This machine does not hear its own multicast on \(probe.interface).",
            next:
              "Look for a firewall rule that drops UDP port 5353 or 224.0.0.251, and for a VPN that takes multicast.")
        ]
      }
      return [
        Finding(
          "multicast-heard", .information,
          "Multicast works on \(probe.interface) as far as this machine goes"
            + (probe.heardOthers == 0
              ? "; nobody else spoke meanwhile."
              : "; \(probe.heardOthers) other\(probe.heardOthers == 1 ? "" : "s") spoke meanwhile."))
      ]
    }
  }
}
