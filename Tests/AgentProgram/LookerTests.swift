import Foundation
import Glibc
import LatchkeyAgent
import LatchkeyAgentProtocol
import LatchkeyModel
import Testing

@testable import LatchkeyAgentProgram

/// Tests of what the agent reads of real processes and files: Protocol/13-agent.md §8.
@Suite struct LookerTests {
  private var wanted: ProcessLooker.Wanted {
    ProcessLooker.Wanted(accounts: [geteuid()], needs: [geteuid(): .all], protected: [], protectedFiles: [])
  }

  private func facts(of program: RunningCat, _ looker: inout ProcessLooker) throws -> ProcessFacts {
    let seen = looker.look(at: program.pid, wanted, BootClock.now())
    return try #require(seen).facts
  }

  @Test(
    "A renamed copy of a program has its hash; it comes from a place the account can write to, the system's does not")
  func copies() throws {
    let folder = try Folder()
    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: folder.path + "/homework")
    var looker = ProcessLooker()
    let (original, copy) = (try RunningCat(["/bin/cat", "-"]), try RunningCat([folder.path + "/homework"]))
    let (first, second) = (try facts(of: original, &looker), try facts(of: copy, &looker))
    #expect(first.images.first?.name == "cat" && second.images.first?.name == "homework")
    #expect(first.images.first?.sha256 != nil && first.images.first?.sha256 == second.images.first?.sha256)
    #expect(!first.isFromWritablePlace && second.isFromWritablePlace)
    #expect(first.arguments == "/bin/cat -" && second.account == geteuid())
    #expect(abs(BootClock.now() - second.startedAt) < 60_000)
    // Deleted, it is still known.
    try FileManager.default.removeItem(atPath: folder.path + "/homework")
    var other = ProcessLooker()
    let gone = try facts(of: copy, &other)
    #expect(gone.images.first?.sha256 == first.images.first?.sha256 && gone.isFromWritablePlace)
    #expect(gone.images.first?.path == folder.path + "/homework")
  }

  @Test("Nothing is asked about files of a file system that only the child has mounted: its programs are unknown ones")
  func otherDevices() throws {
    let script = "mount -t tmpfs own /mnt && cp /bin/cat /mnt/cat && exec /mnt/cat"
    let program = try RunningCat(["/usr/bin/unshare", "--map-root-user", "--mount", "/bin/sh", "-c", script])
    var looker = ProcessLooker()
    let facts = try facts(of: program, &looker)
    #expect(facts.images == [.init(path: "/mnt/cat", isHidden: true)])
    #expect(facts.isFromWritablePlace && !facts.isProtected)
    let original = try RunningCat(["/bin/cat"])
    let folder = "/proc/\(original.pid)"
    let devices = KnownDevices()
    #expect(devices.holdsExecutable(try #require(ProcFile.link("\(folder)/exe")), of: folder))
    #expect(!devices.holdsExecutable("/mnt/cat", of: "/proc/\(program.pid)"))
    // What the kernel knows by itself says the same.
    #expect(devices.isLocal(try #require(ProcFile.knownStatus("\(folder)/exe"))))
    #expect(!devices.isLocal(try #require(ProcFile.knownStatus("/proc/\(program.pid)/exe"))))
    #expect(devices.canRead("/.flatpak-info", atRootOf: folder) && !devices.isKnown("fff:ffff"))
  }

  @Test("A program of a Flatpak's runtime is the Flatpak's by the statement in its sandbox, unless that is a link")
  func flatpakRuntime() throws {
    let folder = try Folder()
    func sandbox(_ statement: String) throws -> RunningCat {
      let script = """
        mount -t tmpfs own \(folder.path) && cd \(folder.path) && mkdir usr elsewhere && mount --rbind /usr usr \
          && for name in bin lib lib64; do ln -s usr/$name $name; done && \(statement) && exec chroot . /usr/bin/cat
        """
      return try RunningCat(["/usr/bin/unshare", "--map-root-user", "--mount", "/bin/sh", "-c", script])
    }
    let text = "printf '[Application]\\nname=org.example.Racer\\n' >"
    var looker = ProcessLooker()
    let racer = try facts(of: sandbox("\(text) .flatpak-info"), &looker)
    #expect(racer.flatpak == "org.example.Racer" && !racer.isGenuineFlatpak)
    #expect(racer.images.first?.path.hasSuffix("/usr/bin/cat") == true)
    // What it leads to could be on a file system that the account serves itself.
    let linked = try facts(of: sandbox("\(text) elsewhere/info && ln -s elsewhere/info .flatpak-info"), &looker)
    #expect(linked.flatpak == nil)
    #expect(try facts(of: RunningCat(["/bin/cat"]), &looker).flatpak == nil)
  }

  @Test("A program that the loader runs is an image of the loader's process, with its hash")
  func loader() throws {
    let folder = try Folder()
    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: folder.path + "/game")
    let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
    guard let loader = loaders.first(where: { FileManager.default.fileExists(atPath: $0) }) else { return }
    var looker = ProcessLooker()
    let program = try RunningCat([loader, folder.path + "/game"])
    // What it has mapped is read with the second look.
    _ = try facts(of: program, &looker)
    let seen = try facts(of: program, &looker)
    #expect(seen.images.contains { $0.path == folder.path + "/game" })
    var hashes = HashCache()
    let expected = hashes.digest(of: "/bin/cat")
    #expect(seen.images.contains { $0.sha256 == expected && expected != nil })
  }

  @Test("The files of a package belong to it only where they are its own")
  func packages() throws {
    let folder = try Folder()
    let copied = folder.path + "/cat"
    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: copied)
    for (name, line) in [("games:amd64", "/bin/cat"), ("other", copied), ("unwanted", "/usr/bin/cat")] {
      try Data("/.\n/usr\n\(line)\n".utf8).write(to: URL(filePath: "\(folder.path)/\(name).list"))
    }
    var looker = ProcessLooker(packageFolder: folder.path)
    looker.load(packages: ["games", "other"])
    let (original, copy) = (try RunningCat(["/bin/cat"]), try RunningCat([copied]))
    #expect(try facts(of: original, &looker).images[0].packages == ["games"])
    let second = try facts(of: copy, &looker)
    #expect(
      second.images[0].path == copied && second.images[0].packages == (geteuid() == 0 ? ["other"] : []),
      "What the account can change is no package's.")
    try Data("/other\n".utf8).write(to: URL(filePath: "\(folder.path)/games:amd64.list"))
    looker.load(packages: ["games"])
    looker.forgetImages()
    #expect(try facts(of: original, &looker).images[0].packages == [])
  }

  @Test("A copy of a program that orders name by its package or path is known by its content, and only as a weak match")
  func copiesOfNamed() throws {
    let folder = try Folder()
    let copied = folder.path + "/homework"
    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: copied)
    try Data("/.\n/usr/bin/cat\n".utf8).write(to: URL(filePath: "\(folder.path)/games.list"))
    let (original, copy) = (try RunningCat(["/bin/cat"]), try RunningCat([copied]))
    var byPackage = ProcessLooker(packageFolder: folder.path)
    byPackage.load(packages: ["games"])
    let first = try facts(of: original, &byPackage).images[0]
    #expect(first.packages == ["games"] && first.copiedPackages == [])
    let second = try facts(of: copy, &byPackage).images[0]
    #expect(second.packages == [] && second.copiedPackages == ["games"])

    var byPath = ProcessLooker(packageFolder: folder.path)
    byPath.load(packages: [], paths: ["/usr/bin/cat"])
    #expect(try facts(of: original, &byPath).images[0].copiedPaths == [])
    #expect(try facts(of: copy, &byPath).images[0].copiedPaths == ["/usr/bin/cat"])
    // Only root can put a file where the system's programs are: that one is no copy of the child's.
    var reverse = ProcessLooker(packageFolder: folder.path)
    reverse.load(packages: [], paths: [copied])
    #expect(try facts(of: original, &reverse).images[0].copiedPaths == (geteuid() == 0 ? [copied] : []))
    // Another file of the same size is none.
    let handle = try #require(FileHandle(forWritingAtPath: folder.path + "/games.list"))
    try handle.truncate(atOffset: UInt64(FileManager.default.contents(atPath: "/bin/cat")?.count ?? 0))
    try handle.close()
    chmod(folder.path + "/games.list", 0o755)
    var other = ProcessLooker(packageFolder: folder.path)
    other.load(packages: [], paths: [folder.path + "/games.list"])
    #expect(try facts(of: copy, &other).images[0].copiedPaths == [])
  }

  @Test("A program is known by a path that is a link of root's to it, such as the shell's")
  func linked() throws {
    let folder = try Folder()
    let own = try #require(realpath("/usr/bin/sh", nil).map { String(cString: $0) })
    let program = try RunningCat(["/usr/bin/sh", "-c", "printf x; read -r line"])
    var byLink = ProcessLooker(packageFolder: folder.path)
    byLink.load(packages: [], paths: ["/usr/bin/sh"])
    let image = try facts(of: program, &byLink).images[0]
    #expect(image.path == own && image.copiedPaths == ["/usr/bin/sh"])
    let link = folder.path + "/shell"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: own)
    var byOther = ProcessLooker(packageFolder: folder.path)
    byOther.load(packages: [], paths: [link])
    #expect(try facts(of: program, &byOther).images[0].copiedPaths == (geteuid() == 0 ? [link] : []))
  }

  @Test(
    "A file that others' mounts give the path of a needed program is not one; nor does a loader hide its program's place"
  )
  func places() throws {
    var mounts = MountTable()
    _ = mounts.load()
    func place(_ path: String, _ file: String) throws -> ProgramPlace {
      ProgramPlace(path: path, status: try #require(ProcFile.status(file)), mounts)
    }
    #expect(try place("/usr/bin/login", "/usr/bin/login").isNeeded)
    #expect(try !place("/usr/bin/login", "/usr/bin/cat").isNeeded)
    #expect(try !place("/usr/bin/cat", "/usr/bin/cat").isNeeded)
    #expect(try place("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "/bin/cat").isLoader)
    #expect(try !place("/usr/bin/ld", "/bin/cat").isLoader)
    #expect(try place("/usr/bin/cat (deleted)", "/usr/bin/cat").isWritable { _ in false })
    #expect(try !place("/usr/bin/cat", "/usr/bin/cat").isWritable { $0 != 0 })
  }

  @Test("A program whose first thread has ended is seen by a thread that lives, and can be closed")
  func firstThreadEnded() throws {
    // The system call that ends the calling thread alone: exit.
    let script = """
      import ctypes, platform, threading, time
      def live():
          while ") Z" not in open("/proc/self/stat").read(): time.sleep(0.001)
          data = __import__("os").read(0, 1)
          __import__("os").write(1, data)
          time.sleep(600)
      threading.Thread(target=live).start()
      ctypes.CDLL(None).syscall(60 if platform.machine() == "x86_64" else 93, 0)
      """
    var looker = ProcessLooker()
    let program = try RunningCat(["/usr/bin/python3", "-c", script])
    let seen = try facts(of: program, &looker)
    #expect(seen.images.first?.name.hasPrefix("python3") == true && seen.images.first?.sha256 != nil)
    #expect(seen.arguments.contains("import ctypes"))
    guard let handle = ProcessHandle(seen.identity) else {
      Issue.record("It counts as ended.")
      return
    }
    let (hasEnded, isSent) = (handle.hasEnded, handle.send(signal: SIGKILL))
    #expect(!hasEnded && isSent)
  }

  @Test("A thread that lives is found behind thousands that have ended, and first where it was found last")
  func livingThread() throws {
    let folder = try Folder()
    for number in 1...3_000 { try #require(mkdir("\(folder.path)/\(number)", 0o700) == 0) }
    func live(_ number: Int32) throws { try #require(symlink("/bin/cat", "\(folder.path)/\(number)/exe") == 0) }
    func find(_ last: String? = nil) -> String? { ProcessLooker.livingThread(of: 1, in: folder.path, last: last) }
    #expect(find() == nil)
    // The process's own folder says nothing of a thread.
    try live(1)
    #expect(find() == nil)
    try live(2_900)
    #expect(find() == folder.path + "/2900" && find(folder.path + "/17") == folder.path + "/2900")
    try live(8)
    #expect(find(folder.path + "/2900") == folder.path + "/2900" && find("/proc/self") != "/proc/self")
  }

  @Test("A program at a path that is too long for the kernel to tell is an unknown one")
  func longPath() throws {
    let folder = try Folder()
    defer {
      // The path is too long for others as well.
      let remover = try? Process.run(URL(filePath: "/bin/rm"), arguments: ["-rf", folder.path + "/deep"])
      remover?.waitUntilExit()
    }
    let script = """
      import os, shutil
      for name in ["deep"] + ["d" * 250] * 20:
          os.mkdir(name)
          os.chdir(name)
      shutil.copy("/bin/cat", "cat")
      os.execv("./cat", ["cat"])
      """
    let program = try RunningCat(["/usr/bin/env", "-C", folder.path, "/usr/bin/python3", "-c", script])
    #expect(ProcFile.executable(in: "/proc/\(program.pid)") == .longPath)
    var looker = ProcessLooker()
    for _ in 0..<2 {
      let facts = try facts(of: program, &looker)
      #expect(facts.isFromWritablePlace && !facts.isProtected && facts.images.first?.sha256 == nil)
      #expect(!facts.images.isEmpty)
    }
  }

  @Test("A look at all processes is done in parts, and what is seen meanwhile is there")
  func parts() throws {
    var looker = ProcessLooker()
    let before = try RunningCat(["/bin/cat"])
    looker.begin(wanted, at: BootClock.now())
    let meanwhile = try RunningCat(["/bin/cat"])
    let identity = try facts(of: meanwhile, &looker).identity
    var (parts, seen): (Int, Set<Int32>) = (0, [])
    var found: ProcessLooker.Found?
    while found == nil {
      // The instant is long ago: one process is looked at.
      found = looker.goOn(wanted, until: BootInstant(milliseconds: 0)) { seen.insert($0.identity.processID) }
      parts += 1
      #expect(looker.isLooking == (found == nil))
    }
    #expect(parts > 1 && seen.contains(before.pid))
    let present = try #require(found).present
    #expect(present.contains(identity) && present.contains { $0.processID == before.pid })
    #expect(looker.goOn(wanted, until: nil) { _ in } == nil, "No look has begun.")
  }

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

  @Test("A program that has just started is looked at three times more, and a crowd is bounded")
  func young() {
    var young = YoungPrograms()
    func at(_ milliseconds: Int64) -> BootInstant { BootInstant(milliseconds: milliseconds) }
    #expect(young.next == nil && young.due(at: at(0)) == [])
    young.started(7, at: at(1_000))
    #expect(young.next == at(1_050) && young.due(at: at(1_049)) == [])
    #expect(young.due(at: at(1_050)) == [7] && young.next == at(1_300))
    #expect(young.due(at: at(1_300)) == [7] && young.due(at: at(2_500)) == [7])
    #expect(young.next == nil)
    for process: Int32 in 1...10_000 { young.started(process, at: at(5_000)) }
    #expect(young.due(at: at(5_050)).count == 4_096)
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

  @Test("A process whose memory cannot be read is still its account's, by its real user")
  func hidden() throws {
    var looker = ProcessLooker()
    let others = looker.look(
      .init(accounts: [geteuid()], needs: [geteuid(): .arguments], protected: [], protectedFiles: []),
      at: BootClock.now(), see: { _ in })
    #expect(others.contains { $0.processID == getpid() })
    #expect(
      looker.look(
        .init(accounts: [], needs: [geteuid(): .arguments], protected: [], protectedFiles: []), at: BootClock.now()
      ) { _ in }
      .isEmpty)
  }

  @Test("The agent, its present node and their ancestors are protected; a process that got the number of one is not")
  func protected() throws {
    let program = try RunningCat(["/bin/cat"])
    var looker = ProcessLooker()
    let identity = try facts(of: program, &looker).identity
    let other = ProcessIdentity(processID: identity.processID, startTime: identity.startTime + 1)
    func isProtected(_ processes: Set<ProcessIdentity>) -> Bool? {
      var wanted = wanted
      wanted.protected = processes
      return looker.look(at: program.pid, wanted, BootClock.now())?.facts.isProtected
    }
    #expect(isProtected([identity]) == true && isProtected([other]) == false)

    var protected = ProtectedProcesses()
    let numbers = Set(protected.processes.map(\.processID))
    #expect(numbers.isSuperset(of: [getpid(), getppid()].filter { $0 > 1 }))
    // Its own, and that of the commands where they are beside it.
    let own = protected.files
    protected.connected(node: program.pid)
    #expect(protected.processes.contains(identity) && protected.files.count == own.count + 1)
    protected.connected(node: getpid())
    #expect(!protected.processes.contains(identity) && protected.files == own)
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
    #expect(store.load().isDamaged, "Deleted orders are told like damaged ones.")
    try FileManager.default.removeItem(atPath: store.path + ".last")
    #expect(store.load().orders == nil && !store.load().isDamaged, "Nothing tells these from orders never written.")
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
