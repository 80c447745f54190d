import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// The gathering of facts about this machine and the path to one peer.
enum Gatherer {
  /// Gathers all facts about the machine on which the process runs.
  ///
  /// It takes a few seconds, changes nothing, and sends one mDNS question on each interface. Facts
  /// that could not be gathered are `nil` or empty.
  static func gather(_ stateFolder: String, _ request: DoctorRequest) -> Facts {
    let machine: MachineFacts
    do {
      machine = try NodeFolder.isOfThisMachine(StateFolder(path: stateFolder)).map { $0 ? .same : .other } ?? .unknown
    } catch { machine = .unreadable }
    let interfaces = NetworkInterface.all() ?? []
    var facts = Facts(
      node: request.node, machine: machine, folder: FolderGatherer.gather(stateFolder), interfaces: interfaces,
      defaultInterface: AddressProber.interface(towards: "192.0.2.1", interfaces)
        ?? AddressProber.interface(towards: "2001:db8::1", interfaces), firewall: FirewallGatherer.gather(),
      responders: SocketTable.holders(port: 5_353), bus: ServiceGatherer.bus(ProcessInfo.processInfo.environment),
      avahi: ServiceGatherer.avahi(),
      clock: ClockFacts(now: request.now, isSynchronised: isClockSynchronised(), stamps: request.stamps),
      conditions: request.conditions, receivers: request.receivers, phones: phones(stateFolder, request.browsers),
      terms: request.terms)
    facts.multicast = MulticastProber.probe(facts.lanInterfaces)
    if let peer = request.peer {
      var addresses = peer.addresses.map(\.address)
      if case .running(_, let nearby?) = request.node,
        let announced = nearby.members.first(where: { $0.deviceID == peer.device.deviceID })?.addresses
      {
        addresses = announced + addresses.filter { !announced.contains($0) }
      }
      // A connected device needs no further connection.
      facts.peer = PeerFacts(status: peer, probes: peer.isConnected ? [] : AddressProber.probe(addresses, interfaces))
    }
    let user = geteuid()
    if stateFolder == SystemNode.stateFolder, user != 0, let owner = facts.folder.entries.first?.owner, owner != user {
      // That others may not use a service's files is as it should be.
      facts.folder = FolderFacts(path: stateFolder, user: user)
    }
    return facts
  }

  /// Returns whether a time service keeps the clock right; `nil` if the system does not report it.
  private static func isClockSynchronised() -> Bool? {
    guard case .output(let text) = ToolRun.run("timedatectl", ["show", "--property=NTPSynchronized", "--value"]) else {
      return nil
    }
    let answer = text.split(separator: "\n").first
    return answer == "yes" ? true : answer == "no" ? false : nil
  }

  /// Returns the facts about the pages for phones; `nil` if none is let in.
  private static func phones(_ stateFolder: String, _ browsers: [BrowserListing]) -> PhoneFacts? {
    guard !browsers.isEmpty else { return nil }
    let port = PhonePlace.read(in: stateFolder).map { UInt16(clamping: $0.port) }
    let tables = ["tcp", "tcp6"].map(SocketTable.text)
    return PhoneFacts(
      port: port, isListening: port.map { port in tables.contains { SocketTable.isListening(port, in: $0) } } ?? false,
      hasAuthority: access(PhonePlace.folder(in: stateFolder) + "/authority.pem", F_OK) == 0)
  }
}

enum FolderGatherer {
  /// Returns the facts of a state folder, without leaving files in it.
  static func gather(_ path: String) -> FolderFacts {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return FolderFacts(path: path, exists: errno != ENOENT && errno != ENOTDIR, user: geteuid())
    }
    var facts = FolderFacts(path: path, user: geteuid())
    var own = stat()
    facts.entries = [entry(path, lstat(path, &own) == 0 && own.st_mode & S_IFMT == S_IFLNK ? own : status)]
    facts.exposedParent = exposedParent(of: path)
    for name in (ProcFile.names(in: path, most: 256) ?? []).sorted() {
      var status = stat()
      let path = path + "/" + name
      if lstat(path, &status) == 0 { facts.entries.append(entry(path, status)) }
    }
    var disk = statvfs()
    if statvfs(path, &disk) == 0 {
      let free = UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
      facts.freeBytes = free.overflow ? .max : Int64(clamping: free.partialValue)
      facts.isReadOnly = disk.f_flag & UInt(1) != 0
    }
    if !facts.isReadOnly { measure(&facts) }
    return facts
  }

  private static func entry(_ path: String, _ status: stat) -> FolderFacts.Entry {
    let kind = status.st_mode & S_IFMT
    return FolderFacts.Entry(
      path: path, owner: status.st_uid, mode: status.st_mode & 0o7777, isLink: kind == S_IFLNK,
      names: kind == S_IFREG ? Int(status.st_nlink) : 1)
  }

  private static func exposedParent(of path: String) -> String? {
    var parent = path[...]
    while let slash = parent.lastIndex(of: "/") {
      parent = parent[..<slash]
      let folder = parent.isEmpty ? "/" : String(parent)
      var status = stat()
      // In a sticky folder such as /tmp, only the owner can rename a file.
      if stat(folder, &status) == 0, status.st_mode & 0o002 != 0, status.st_mode & 0o1000 == 0 { return folder }
    }
    return nil
  }

  /// Makes small writes durable, as the database does, and records their median time.
  private static func measure(_ facts: inout FolderFacts) {
    // mkstemp replaces the six letters and opens a file that no other process has.
    var name = Array((facts.path + "/.doctor-XXXXXX").utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else {
      facts.writeFault = SystemError.reason()
      return
    }
    unlink(name)
    defer { close(file) }
    // Programs started meanwhile must not inherit the descriptor.
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    let bytes = [UInt8](repeating: 0x5A, count: 4_096)
    var times: [Int64] = []
    for _ in 0..<9 {
      let begun = SystemClock.awake.microseconds
      guard write(file, bytes, bytes.count) == bytes.count, fdatasync(file) == 0 else {
        facts.writeFault = SystemError.reason()
        return
      }
      times.append(SystemClock.awake.microseconds - begun)
      // A disk that needs a second for each write is not measured nine times.
      if times.reduce(0, +) > 2_000_000 { break }
    }
    facts.syncMicroseconds = times.sorted()[times.count / 2]
  }
}
