import Foundation
import Glibc
import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of what a Java virtual machine shows of itself: Protocol/13-agent.md §8.
@Suite struct JavaCommandTests {
  /// The class `Craft`, whose program sleeps for a minute.
  private static let sleeper =
    "cafebabe00000031001001000543726166740700010100106a6176612f6c616e672f4f626a6563740700030100046d61696e"
    + "010016285b4c6a6176612f6c616e672f537472696e673b2956010004436f646505000000000000ea600100106a6176612f6c"
    + "616e672f54687265616407000a010005736c656570010004284a29560c000c000d0a000b000e002100020004000000000001"
    + "00090005000600010007000000130002000100000007140008b8000fb1000000000000"

  /// Returns performance data with one entry, whose value has a size and stands at a place.
  private func data(_ value: String, size: Int? = nil, place: Int = 40, name: String = "sun.rt.javaCommand") -> [UInt8]
  {
    var bytes: [UInt8] = []
    func word(_ value: Int) { withUnsafeBytes(of: UInt32(value)) { bytes += $0 } }
    for _ in 0..<8 { word(0) }
    for value in [place + value.utf8.count + 1, 20, size ?? value.utf8.count + 1, 0x4200_0053, place] { word(value) }
    bytes += Array(name.utf8) + [0]
    // A place far away is said, and nothing stands there.
    bytes += [UInt8](repeating: 0, count: max(0, 32 + min(place, 4_096) - bytes.count)) + Array(value.utf8) + [0]
    return bytes
  }

  @Test("The value is found by its entry, and what is damaged shows nothing")
  func parsed() {
    #expect(JavaCommand.command(in: data("net.craft.Main --quick")) == "net.craft.Main --quick")
    #expect(JavaCommand.command(in: data("")) == nil)
    #expect(JavaCommand.command(in: data("x", name: "sun.rt.javaOther")) == nil)
    #expect(JavaCommand.command(in: data("x", size: 100)) == nil)
    #expect(JavaCommand.command(in: data("x", place: 1 << 30)) == nil)
    #expect(JavaCommand.command(in: Array("sun.rt.javaCommand".utf8) + [0]) == nil)
    // A file of the child's own, whose name stands before there is room for an entry.
    for place in 0..<20 {
      var bytes: [UInt8] = Array([20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0].prefix(place))
      bytes += Array("sun.rt.javaCommand".utf8) + [0] + [UInt8](repeating: 0x78, count: 64)
      #expect(JavaCommand.command(in: bytes) == nil)
    }
    let whole = data("net.craft.Main")
    for count in 0..<whole.count - 1 { #expect(JavaCommand.command(in: Array(whole[..<count])) == nil) }
  }

  @Test(
    "A real virtual machine shows what a file of arguments hides",
    .enabled(if: access("/usr/bin/java", X_OK) == 0, "there is no Java here; install Debian's openjdk-17-jre-headless"))
  func real() async throws {
    let folder = try Folder()
    let arguments = folder.path + "/args.txt"
    try Data(try #require(Hexadecimal.decode(Self.sleeper))).write(
      to: URL(fileURLWithPath: folder.path + "/Craft.class"))
    try Data("-cp \(folder.path) Craft --quick".utf8).write(to: URL(fileURLWithPath: arguments))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/java")
    process.arguments = ["@" + arguments]
    process.standardError = nil
    try process.run()
    defer { process.terminate() }
    var looker = ProcessLooker()
    var wanted = ProcessLooker.Wanted.own
    wanted.names[geteuid()] = NSUserName()
    var shown = ""
    // The machine says nothing once it shows its class, so it is asked again.
    for _ in 0..<200 where !shown.contains("Craft") {
      try await Task.sleep(for: .milliseconds(50))
      shown = looker.look(at: process.processIdentifier, wanted, BootClock.now())?.facts.arguments ?? ""
    }
    #expect(shown.contains(" Craft --quick"), "\(shown)")
  }

  @Test("What is not the account's own regular file in its folder is not opened")
  func foreign() throws {
    let name = "lk-java-\(getpid())"
    let folder = "/tmp/hsperfdata_" + name
    let content = Data(data("net.craft.Main"))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func read(_ account: UInt32 = geteuid()) -> String? { JavaCommand.read(of: 77, account, named: name) }
    let file = URL(fileURLWithPath: folder + "/77")
    #expect(read() == nil)
    try content.write(to: file)
    #expect(
      read() == "net.craft.Main" && read(geteuid() + 1) == nil && JavaCommand.read(of: 77, 0, named: "../x") == nil)
    try FileManager.default.moveItem(atPath: folder + "/77", toPath: folder + "/78")
    try FileManager.default.createSymbolicLink(atPath: folder + "/77", withDestinationPath: folder + "/78")
    #expect(read() == nil, "It is a link.")
    unlink(folder + "/77")
    try #require(mkfifo(folder + "/77", 0o600) == 0)
    #expect(read() == nil, "It is a pipe.")
    unlink(folder + "/77")
    try (content + Data(count: 65_536)).write(to: file)
    #expect(read() == nil, "It is too large.")
  }
}
