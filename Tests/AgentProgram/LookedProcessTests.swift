import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of the processes that a look at all finds, and of those that are spared:
/// Protocol/13-agent.md §9, §10.
@Suite struct LookedProcessTests {
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
    looker.begin(.own, at: BootClock.now())
    let meanwhile = try RunningCat(["/bin/cat"])
    let identity = try facts(of: meanwhile, &looker).identity
    var (parts, seen): (Int, Set<Int32>) = (0, [])
    var found: ProcessLooker.Found?
    while found == nil {
      // The instant is long ago: one process is looked at.
      found = looker.goOn(.own, until: BootInstant(milliseconds: 0)) { seen.insert($0.identity.processID) }
      parts += 1
      #expect(looker.isLooking == (found == nil))
    }
    #expect(parts > 1 && seen.contains(before.pid))
    let present = try #require(found).present
    #expect(present.contains(identity) && present.contains { $0.processID == before.pid })
    #expect(looker.goOn(.own, until: nil) { _ in } == nil, "No look has begun.")
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
      var wanted = ProcessLooker.Wanted.own
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
}
