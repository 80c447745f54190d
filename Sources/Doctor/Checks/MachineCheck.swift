/// Whether the folder is of this machine.
struct MachineCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    switch facts.machine {
    case .same, .unreadable: return []
    case .other:
      return [
        Finding(
          "other-machine", .fault,
          "The state folder comes from another machine, or this machine's /etc/machine-id has changed.",
          next:
            "Run `latchkey identity keep` if this machine takes that one's place, or `latchkey identity renew` if the "
            + "folder is a copy.")
      ]
    case .unknown:
      return [
        Finding(
          "machine-unknown", .information,
          "This machine has no /etc/machine-id, so a copy of the state folder would not be noticed.",
          next: "Make one with `systemd-machine-id-setup` unless this is a container.")
      ]
    }
  }
}
