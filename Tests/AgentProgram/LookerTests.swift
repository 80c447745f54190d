import Foundation
import Glibc
import LatchkeyAgent
import LatchkeyAgentProtocol
import LatchkeyModel
import Testing

@testable import LatchkeyAgentProgram

/// Tests of what the agent reads of real processes and files: Protocol/13-agent.md §8.
@Suite struct LookerTests {
  /// A folder that is removed with this value.
  private final class Folder {
    let path: String
    init() throws {
      var name = Array("/tmp/lk-agent-XXXXXX".utf8CString)
      try #require(mkdtemp(&name) != nil)
      path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  /// A process that is killed with this value.
  private final class Sleeper {
    let pid: pid_t
    init(_ arguments: [String]) throws {
      var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
      defer { for word in words { free(word) } }
      var pid: pid_t = 0
      try #require(posix_spawn(&pid, arguments[0], nil, nil, &words, environ) == 0)
      self.pid = pid
    }
    deinit {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
  }

  private var wanted: ProcessLooker.Wanted {
    ProcessLooker.Wanted(accounts: [geteuid()], hashed: [geteuid()], protected: [], protectedFiles: [])
  }

  /// Looks until the process runs its program rather than this test's.
  private func facts(
    of sleeper: Sleeper, _ looker: inout ProcessLooker, until isThere: (ProcessFacts) -> Bool
  ) throws -> ProcessFacts {
    for _ in 0..<2_000 {
      if let (facts, _) = looker.look(at: sleeper.pid, wanted, BootClock.now()), isThere(facts) { return facts }
      usleep(5_000)
    }
    throw CancellationError()
  }

  @Test(
    "A renamed copy of a program has its hash; it comes from a place the account can write to, the system's does not")
  func copies() throws {
    let folder = try Folder()
    try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: folder.path + "/homework")
    var looker = ProcessLooker()
    let (original, copy) = (try Sleeper(["/bin/sleep", "600"]), try Sleeper([folder.path + "/homework", "600"]))
    let first = try facts(of: original, &looker) { $0.images.first?.name == "sleep" && !$0.arguments.isEmpty }
    let second = try facts(of: copy, &looker) { $0.images.first?.name == "homework" }
    #expect(first.images.first?.sha256 != nil && first.images.first?.sha256 == second.images.first?.sha256)
    #expect(!first.isFromWritablePlace && second.isFromWritablePlace)
    #expect(first.arguments == "/bin/sleep 600" && second.account == geteuid())
    #expect(abs(BootClock.now() - second.startedAt) < 60_000)
    // Deleted, it is still known.
    try FileManager.default.removeItem(atPath: folder.path + "/homework")
    var other = ProcessLooker()
    let gone = try facts(of: copy, &other) { _ in true }
    #expect(gone.images.first?.sha256 == first.images.first?.sha256 && gone.isFromWritablePlace)
    #expect(gone.images.first?.path == folder.path + "/homework")
  }

  @Test("A program that the loader runs is an image of the loader's process, with its hash")
  func loader() throws {
    let folder = try Folder()
    try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: folder.path + "/game")
    let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
    guard let loader = loaders.first(where: { FileManager.default.fileExists(atPath: $0) }) else { return }
    var looker = ProcessLooker()
    let sleeper = try Sleeper([loader, folder.path + "/game", "600"])
    let seen = try facts(of: sleeper, &looker) { $0.images.contains { $0.path == folder.path + "/game" } }
    var hashes = HashCache()
    let expected = hashes.digest(of: "/bin/sleep")
    #expect(seen.images.contains { $0.sha256 == expected && expected != nil })
  }

  @Test("The files of a package belong to it only where they are its own")
  func packages() throws {
    let folder = try Folder()
    let copied = folder.path + "/sleep"
    try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: copied)
    for (name, line) in [("games:amd64", "/bin/sleep"), ("other", copied), ("unwanted", "/usr/bin/sleep")] {
      try Data("/.\n/usr\n\(line)\n".utf8).write(to: URL(filePath: "\(folder.path)/\(name).list"))
    }
    var looker = ProcessLooker(packageFolder: folder.path)
    looker.load(packages: ["games", "other"])
    let (original, copy) = (try Sleeper(["/bin/sleep", "600"]), try Sleeper([copied, "600"]))
    #expect(try facts(of: original, &looker) { $0.images.first?.name == "sleep" }.images[0].packages == ["games"])
    let second = try facts(of: copy, &looker) { $0.images.first?.path == copied }
    #expect(
      second.images[0].packages == (geteuid() == 0 ? ["other"] : []), "What the account can change is no package's.")
    try Data("/other\n".utf8).write(to: URL(filePath: "\(folder.path)/games:amd64.list"))
    looker.load(packages: ["games"])
    looker.forgetImages()
    #expect(try facts(of: original, &looker) { _ in true }.images[0].packages == [])
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
    #expect(hashes.digest(of: path, expected: (1, 1)) == nil)
  }

  @Test("A process whose memory cannot be read is still its account's, by its real user")
  func hidden() throws {
    var looker = ProcessLooker()
    let others = looker.look(
      .init(accounts: [geteuid()], hashed: [], protected: [], protectedFiles: []), at: BootClock.now(), see: { _ in })
    #expect(others.contains { $0.processID == getpid() })
    #expect(
      looker.look(.init(accounts: [], hashed: [], protected: [], protectedFiles: []), at: BootClock.now()) { _ in }
        .isEmpty)
  }

  @Test("Lines of /proc/PID/stat are read whatever a process calls itself")
  func stat() {
    let fields = "S 42 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 987654 1 1"
    let line = ProcessStatLine(Array("7 (a) S 1 (b) x) \(fields)\n".utf8))
    #expect(line?.name == "a) S 1 (b) x" && line?.parent == 42 && line?.startTime == 987_654)
    #expect(line?.isKernel == false && line?.hasEnded == false)
    for text in ["", "7 (a)", "7 (a) S 1", "7 )a( \(fields)", "x"] { #expect(ProcessStatLine(Array(text.utf8)) == nil) }
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
    #expect(!store.load().isDamaged)
    #expect(OrdersStore(path: folder.path + "/none/orders").keep(orders(1))?.contains("check the folder") == true)
  }

  @Test("Settings that are wrong are named with what to do")
  func settings() {
    #expect(
      AgentSettings.read(["--socket", "/s", "--orders", "/o"]) == .success(AgentSettings(socket: "/s", orders: "/o")))
    for arguments in [
      [], ["--socket"], ["--socket", "s", "--orders", "/o"], ["--what", "x"],
      ["--socket", "/s", "--orders", "/o", "--node-user", "me"],
    ] {
      guard case .failure(let fault) = AgentSettings.read(arguments) else {
        Issue.record("\(arguments) were taken")
        continue
      }
      #expect(fault.sentence.contains(":"))
    }
  }
}
