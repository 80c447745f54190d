/// The check of the disk: its free space, and how fast it makes writes durable.
struct DiskCheck: Check {
  /// The free bytes below which the disk counts as full.
  static let full: Int64 = 4 << 20
  /// The free bytes below which the disk counts as nearly full.
  static let scarce: Int64 = 100 << 20
  /// The duration of a durable write from which delivery is slow, in microseconds.
  static let slow: Int64 = 200_000

  func findings(_ facts: Facts) -> [Finding] {
    let folder = facts.folder
    guard folder.exists else { return [] }
    if folder.isReadOnly {
      return [
        Finding(
          "disk-read-only", .fault, "The disk of \(folder.path) is mounted read-only.",
          next: "Look for its cause with `dmesg`, mend the file system, and mount it writable again.")
      ]
    }
    var findings: [Finding] = []
    if case .running(let status, _) = facts.node, status.disk?.state == .full {
      findings.append(
        Finding(
          "disk-full", .fault,
          "The disk of \(folder.path) has too little room for new work (\((folder.freeBytes ?? 0) >> 20) MB left): what is stored "
            + "is still read and delivered.", next: "Make room on it; the node goes on by itself."))
    } else if let free = folder.freeBytes, free < Self.scarce {
      findings.append(
        Finding(
          free < Self.full ? "disk-full" : "disk-scarce", free < Self.full ? .fault : .warning,
          "The disk of \(folder.path) has \(free >> 20) MB left.", next: "Make room on it."))
    } else if let fault = folder.writeFault {
      findings.append(
        Finding(
          "disk-fault", .fault, "Nothing can be written to \(folder.path) (\(fault)).",
          next: "Look at the folder's rights and at its disk."))
    }
    if let time = folder.syncMicroseconds {
      let rate = 1_000_000 / max(1, time)
      findings.append(
        time >= Self.slow
          ? Finding(
            "disk-slow", .warning,
            "The disk of \(folder.path) takes \(time / 1_000) ms to make a small write durable, so everything here waits for it.",
            next: "See what else writes to it, or put the state on another disk with --state-dir.")
          : Finding("disk-rate", .information, "The disk makes about \(rate) small writes durable a second."))
    }
    return findings
  }
}
