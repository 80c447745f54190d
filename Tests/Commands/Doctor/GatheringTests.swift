import Foundation
import Glibc
import LatchkeySystem
import Synchronization
import Testing

@testable import LatchkeyCommands

/// Tests of the facts that are read from the system.
@Suite struct GatheringTests {
  @Test func socketsOfAPort() {
    let table = """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
       1234: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000   112        0 20011 2 0000 0
       1235: 0100007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000   101        0 20012 2 0000 0
       1236: 00000000000000000000000000000000:14E9 00000000000000000000000000000000:0000 07 0:0 00:0 0 0 0 20013 2 0 0
      broken
      """
    #expect(
      SocketTable.entries(port: 5_353, in: table) == [.init(inode: 20_011, user: 112), .init(inode: 20_013, user: 0)])
  }

  @Test func whatLetsAnAccountPastTheRules() throws {
    // Of the accounts that every Debian has, root is in the group of its name.
    #expect(AccountRisks.privilegedGroups(of: 0) == ["root"])
    #expect(AccountRisks.privilegedGroups(of: 4_000_000_000).isEmpty)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lk-risks-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder + "/usr/bin", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(!AccountRisks.isLingering(0, folder: folder))
    _ = FileManager.default.createFile(atPath: "\(folder)/root", contents: nil)
    #expect(AccountRisks.isLingering(0, folder: folder))
    // Of two threads that ask at once, each gets the answer about its own account.
    let wrong = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 20_000) { number in
      let account = UInt32(number % 2)
      if AccountRisks.isLingering(account, folder: folder) != (account == 0) { wrong.withLock { $0 += 1 } }
    }
    #expect(wrong.withLock { $0 } == 0)
  }

  @Test("Other programs that limit a machine are found by the files of their packages")
  func otherEnforcers() throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("lk-others-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    func install(_ file: String) throws {
      let url = root.appendingPathComponent(file)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: url)
    }
    // Debian's desktops have it without limits of time.
    try install("usr/bin/malcontent-client")
    #expect(OtherEnforcers.installed(root: root.path).isEmpty)
    try install("usr/share/pam-configs/malcontent")
    #expect(OtherEnforcers.installed(root: root.path) == ["malcontent"])
    try install("usr/libexec/malcontent-timerd")
    try install("usr/bin/timekprd")
    #expect(OtherEnforcers.installed(root: root.path) == ["timekpr", "malcontent"])
  }

  @Test func aHolderOfAPortIsFound() throws {
    let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, length)
        _ = getsockname(descriptor, $0, &length)
      }
    }
    let holders = SocketTable.holders(port: UInt16(bigEndian: address.sin_port))
    let own = ProcFile.text("/proc/self/comm", most: 64)?.split(separator: "\n").first.map(String.init)
    #expect(own != nil && holders == [PortHolder(name: own, user: geteuid())])
    #expect(SocketTable.holders(port: 1).isEmpty)
  }

  @Test func toolsAreBoundedAndTheirFailuresTold() {
    #expect(ToolRun.run("latchkey-no-such-tool", []) == .absent)
    #expect(ToolRun.run("echo", ["hello"]) == .output("hello\n"))
    #expect(ToolRun.run("cat", ["/dev/zero"], bytes: 100_000) == .failed("it took too long or said too much"))
    #expect(ToolRun.run("sleep", ["60"], seconds: 1) == .failed("it took too long or said too much"))
    #expect(
      ToolRun.run("sh", ["-c", "exec >&- 2>&-; exec sleep 60"], seconds: 1) == .failed("it did not end"))
    guard case .failed(let reason) = ToolRun.run("ls", ["/no/such/folder"]) else {
      Issue.record("ls found a folder that is not there")
      return
    }
    #expect(reason.contains("No such file"))
  }

  @Test func aFolderAndItsDisk() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lk-doctor-\(UUID().uuidString)").path
    #expect(FolderGatherer.gather(folder).exists == false)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    chmod(folder, 0o700)
    _ = FileManager.default.createFile(atPath: folder + "/a", contents: nil)
    chmod(folder + "/a", 0o640)
    let facts = FolderGatherer.gather(folder)
    #expect(facts.exists && !facts.isReadOnly && facts.writeFault == nil)
    #expect(facts.entries.map(\.mode) == [0o700, 0o640])
    #expect(facts.entries.allSatisfy { $0.owner == geteuid() })
    #expect((facts.freeBytes ?? 0) > 0 && (facts.syncMicroseconds ?? 0) > 0)
    // Nothing is left behind.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
  }

  @Test func loopbackIsTheWayToItself() {
    let interfaces = NetworkInterface.all() ?? []
    #expect(AddressProber.interface(towards: "127.0.0.1", interfaces) == "lo")
    #expect(AddressProber.interface(towards: "not an address", interfaces) == nil)
  }

  @Test func connectionsThatComeAboutAndThatAreRefused() throws {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(listener, $0, length)
        _ = getsockname(listener, $0, &length)
      }
    }
    listen(listener, 4)
    let place = "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    let interfaces = NetworkInterface.all() ?? []
    #expect(
      AddressProber.probe([place], interfaces) == [AddressProbe(address: place, outcome: .connected, interface: "lo")])
    close(listener)
    #expect(
      AddressProber.probe([place, "nonsense"], interfaces)
        == [AddressProbe(address: place, outcome: .refused, interface: "lo")])
  }

  @Test func socketsOfServices() {
    #expect(ServiceGatherer.socket("/no/such/socket", asking: "?") == .absent)
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("lk-\(UUID().uuidString)").path
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    defer { unlink(path) }
    guard case .silent = ServiceGatherer.socket(path, asking: "?") else {
      Issue.record("a plain file answered")
      return
    }
  }
}
