/// The check of who may read and write the state folder.
struct FolderCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    let folder = facts.folder
    guard folder.exists, let top = folder.entries.first else { return [] }
    var findings: [Finding] = []
    if let link = folder.entries.first(where: \.isLink) {
      findings.append(
        Finding(
          "folder-link", .fault, "\(link.path) is a symbolic link, and a node follows none.",
          next: link.path == top.path
            ? "Name the folder itself with --state-dir." : "Put the file itself in its place."))
    }
    if let named = folder.entries.first(where: { $0.names > 1 }) {
      findings.append(
        Finding(
          "folder-names", .fault, "\(named.path) has \(named.names) names, so that others may change it.",
          next: "Put a copy of it in its place."))
    }
    if let parent = folder.exposedParent {
      findings.append(
        Finding(
          "folder-parent", .warning,
          "Any user of this machine may replace \(folder.path), since they may change \(parent).",
          next: "Run `chmod +t \(parent)`, or move the state folder elsewhere."))
    }
    let entries = folder.entries.filter { !$0.isLink }
    if folder.user != 0, let foreign = entries.first(where: { $0.owner != folder.user }) {
      findings.append(
        Finding(
          "folder-owner", .fault, "\(foreign.path) belongs to user \(foreign.owner), and you are user \(folder.user).",
          next: "Run this as that user, or give it back with `sudo chown -R \(folder.user) \(folder.path)`."))
    }
    let open = entries.filter { $0.mode & 0o077 != 0 }
    if !open.isEmpty {
      findings.append(
        Finding(
          "folder-open", top.mode & 0o077 != 0 ? .fault : .warning,
          "Others on this machine may use \(open[0].path) (mode \(String(open[0].mode & 0o7777, radix: 8))), which only its "
            + "owner should.", next: "Run `chmod -R go= \(folder.path)`."))
    }
    if let locked = entries.first(where: {
      $0.mode & ($0.path == top.path ? 0o700 : 0o600) != ($0.path == top.path ? 0o700 : 0o600)
    }) {
      findings.append(
        Finding(
          "folder-rights", .fault,
          "Not even its owner may use all of \(locked.path) (mode \(String(locked.mode & 0o7777, radix: 8))).",
          next: "Run `chmod u+rwX \(locked.path)`."))
    }
    return findings
  }
}
