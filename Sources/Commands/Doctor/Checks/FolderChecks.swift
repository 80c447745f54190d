extension Facts {
  /// Checks who may read and write the state folder.
  func checkFolder(_ findings: inout [Finding]) {
    guard folder.exists, let top = folder.entries.first else { return }
    if let link = folder.entries.first(where: \.isLink) {
      findings.add(
        "folder-link", .fault, "\(link.path) is a symbolic link, and a node follows none.",
        next: link.path == top.path ? "Name the folder itself with --state-dir." : "Put the file itself in its place.")
    }
    if let named = folder.entries.first(where: { $0.names > 1 }) {
      findings.add(
        "folder-names", .fault, "\(named.path) has \(named.names) names, so that others may change it.",
        next: "Put a copy of it in its place.")
    }
    if let parent = folder.exposedParent {
      findings.add(
        "folder-parent", .warning,
        "Any user of this machine may replace \(folder.path), since they may change \(parent).",
        next: "Run `chmod +t \(parent)`, or move the state folder elsewhere.")
    }
    let entries = folder.entries.filter { !$0.isLink }
    if folder.user != 0, let foreign = entries.first(where: { $0.owner != folder.user }) {
      findings.add(
        "folder-owner", .fault, "\(foreign.path) belongs to user \(foreign.owner), and you are user \(folder.user).",
        next: "Run this as that user, or give it back with `sudo chown -R \(folder.user) \(folder.path)`.")
    }
    let open = entries.filter { $0.mode & 0o077 != 0 }
    if !open.isEmpty {
      findings.add(
        "folder-open", top.mode & 0o077 != 0 ? .fault : .warning,
        "Others on this machine may use \(open[0].path) (mode \(String(open[0].mode & 0o7777, radix: 8))), which only its "
          + "owner should.", next: "Run `chmod -R go= \(folder.path)`.")
    }
    if let locked = entries.first(where: {
      $0.mode & ($0.path == top.path ? 0o700 : 0o600) != ($0.path == top.path ? 0o700 : 0o600)
    }) {
      findings.add(
        "folder-rights", .fault,
        "Not even its owner may use all of \(locked.path) (mode \(String(locked.mode & 0o7777, radix: 8))).",
        next: "Run `chmod u+rwX \(locked.path)`.")
    }
  }

  /// Checks the disk: its free space, and how fast it makes writes durable.
  func checkDisk(_ findings: inout [Finding]) {
    guard folder.exists else { return }
    // The free bytes below which the disk counts as full and as nearly full.
    let (full, scarce): (Int64, Int64) = (4 << 20, 100 << 20)
    if folder.isReadOnly {
      return findings.add(
        "disk-read-only", .fault, "The disk of \(folder.path) is mounted read-only.",
        next: "Look for its cause with `dmesg`, mend the file system, and mount it writable again.")
    }
    if status?.disk?.state == .full {
      findings.add(
        "disk-full", .fault,
        "The disk of \(folder.path) has too little room for new work (\((folder.freeBytes ?? 0) >> 20) MB left): what is stored "
          + "is still read and delivered.", next: "Make room on it; the node goes on by itself.")
    } else if let free = folder.freeBytes, free < scarce {
      findings.add(
        free < full ? "disk-full" : "disk-scarce", free < full ? .fault : .warning,
        "The disk of \(folder.path) has \(free >> 20) MB left.", next: "Make room on it.")
    } else if let fault = folder.writeFault {
      findings.add(
        "disk-fault", .fault, "Nothing can be written to \(folder.path) (\(fault)).",
        next: "Look at the folder's rights and at its disk.")
    }
    if let time = folder.syncMicroseconds {
      if time >= 200_000 {
        findings.add(
          "disk-slow", .warning,
          "The disk of \(folder.path) takes \(time / 1_000) ms to make a small write durable, so everything here waits for it.",
          next: "See what else writes to it, or put the state on another disk with --state-dir.")
      } else {
        let rate = 1_000_000 / max(1, time)
        findings.add("disk-rate", .information, "The disk makes about \(rate) small writes durable a second.")
      }
    }
  }
}
