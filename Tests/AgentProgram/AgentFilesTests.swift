import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of the agent's own files and settings, and of others that it reads: Protocol/13-agent.md
/// §7 to §9.
@Suite struct AgentFilesTests {
  @Test("What is no regular file is not opened: what a pipe holds stays there")
  func foreignFiles() throws {
    let folder = try Folder()
    let (pipe, link) = (folder.path + "/pipe", folder.path + "/link")
    try #require(mkfifo(pipe, 0o600) == 0 && symlink("/bin/cat", link) == 0)
    let both = open(pipe, O_RDWR | O_NONBLOCK)
    try #require(both >= 0)
    defer { close(both) }
    var byte: UInt8 = 7
    try #require(write(both, &byte, 1) == 1)
    #expect(ProcFile.readForeign(pipe, most: 16) == nil && RegularFile.open(pipe) == nil)
    #expect(read(both, &byte, 1) == 1, "It was read.")
    #expect(ProcFile.readForeign(link, most: 4) == nil && ProcFile.readForeign("/bin/cat", most: 4)?.count == 4)
    let followed = try #require(RegularFile.open(link))
    close(followed)
  }

  @Test("User IDs that an account may use in user namespaces are the account's")
  func subordinateUsers() throws {
    let folder = try Folder()
    let path = folder.path + "/subuid"
    let own = geteuid()
    try Data(
      "\(own):100000:65536\nroot:900000:10\nnobody-here:1:5\n\(own):4294967290:10\nx\n\(own):0:5\n".utf8
    ).write(to: URL(filePath: path))
    var users = SubordinateUsers(path: path)
    #expect(users.account(of: 100_000) == nil)
    users.load([own])
    #expect(users.account(of: 100_000) == own && users.account(of: 165_535) == own)
    for user: UInt32 in [0, 1, 99_999, 165_536, 900_000, 4_294_967_295] { #expect(users.account(of: user) == nil) }
    try FileManager.default.removeItem(atPath: path)
    users.load([own])
    #expect(users.account(of: 100_000) == nil)
  }

  @Test("A file is read once for its hash, and again when it was changed")
  func hashes() throws {
    let folder = try Folder()
    let path = folder.path + "/file"
    try Data("abc".utf8).write(to: URL(filePath: path))
    var hashes = HashCache()
    let digest = hashes.digest(of: path)
    #expect(digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(hashes.digest(of: path) == digest && hashes.reads == 1)
    try FileManager.default.linkItem(atPath: path, toPath: folder.path + "/link")
    try Data("abd".utf8).write(to: URL(filePath: path))
    #expect(hashes.digest(of: path) != digest && hashes.reads == 2)
    #expect(hashes.digest(of: folder.path) == nil && hashes.digest(of: path + "x") == nil)
    #expect(hashes.digest(of: path, expected: FileMark(try #require(ProcFile.status(folder.path)))) == nil)
  }

  @Test("Damaged orders never take the place of good ones, and the last good ones hold")
  func orders() throws {
    let folder = try Folder()
    let store = OrdersStore(path: folder.path + "/orders")
    #expect(store.load().orders == nil && !store.load().isDamaged)
    func orders(_ number: UInt64) -> AgentOrders {
      AgentOrders(number: number, boot: "b", at: BootInstant(milliseconds: 1), accounts: [])
    }
    #expect(store.keep(orders(1)) == nil && store.load().orders?.number == 1)
    #expect(store.keep(orders(2)) == nil && store.load().orders?.number == 2)
    try Data("LKORDERS, or nearly so".utf8).write(to: URL(filePath: store.path))
    #expect(store.load().orders?.number == 1 && store.load().isDamaged)
    #expect(store.keep(orders(3)) == nil)
    try FileManager.default.removeItem(atPath: store.path)
    #expect(store.load().orders?.number == 1, "The damaged file was not kept.")
    #expect(store.load().isDamaged, "Deleted orders are told like damaged ones.")
    try FileManager.default.removeItem(atPath: store.path + ".last")
    #expect(store.load().orders == nil && !store.load().isDamaged, "Nothing tells these from orders never written.")
    #expect(OrdersStore(path: folder.path + "/none/orders").keep(orders(1))?.contains("check the folder") == true)
  }

  @Test("Settings that are wrong are named with what to do")
  func settings() throws {
    #expect(try AgentSettings.read(["--socket", "/s", "--orders", "/o"]) == AgentSettings(socket: "/s", orders: "/o"))
    for arguments in [
      [], ["--socket"], ["--socket", "s", "--orders", "/o"], ["--what", "x"],
      ["--socket", "/s", "--orders", "/o", "--node-user", "me"],
    ] {
      let fault = #expect(throws: AgentStartFault.self, "\(arguments)") { try AgentSettings.read(arguments) }
      #expect(fault?.sentence.contains(":") == true && fault?.exitStatus == 64)
    }
  }
}
