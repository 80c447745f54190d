/// The check of whether phones that were let in reach the pages, which have a port of their own.
///
/// Spec: Protocol/15-pages.md §8.
struct PhoneCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    guard let phones = facts.phones else { return [] }
    guard phones.hasAuthority, let port = phones.port else {
      return [
        Finding(
          "phone-authority", .fault,
          "The authority that the phones trust was lost, so that they cannot open the pages any more.",
          next:
            "Remove every phone with `latchkey browsers remove`, take the old authority out of each phone's settings, and let "
            + "them in anew with `latchkey browsers add`.")
      ]
    }
    var findings: [Finding] = []
    if !phones.isListening {
      findings.append(
        Finding(
          "phone-pages", .warning, "The pages for phones are not served, so that no phone can open them.",
          next:
            "Run `systemctl --user enable --now latchkey-web`, and `loginctl enable-linger` to have them while nobody is logged "
            + "in."))
    }
    if let interface = facts.interfaceThatDrops("tcp", port) {
      findings.append(
        Finding(
          "firewall-phones", .fault,
          "The firewall drops connections of phones to the pages (TCP port \(port) on \(interface)).",
          next: FirewallCheck.allow("tcp", port, facts.firewall.keeper)))
    }
    return findings
  }
}
