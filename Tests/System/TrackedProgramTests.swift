import Foundation
import Glibc
import LatchkeySystem
import Testing

/// One at a time, as the signals they send are sent to this very process.
@Suite(.serialized) struct TrackedProgramTests {
  private func run(_ arguments: String...) async throws -> ProgramExit {
    try await ChildProcess.foreground(arguments).wait()
  }

  /// A folder of its own with a pipe in it, through which a program says that it is ready.
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try #require(mkfifo(folder.appending(path: "ready").path, 0o600) == 0)
    try await body(folder)
  }

  @Test(arguments: [0, 1, 7, 126, 255] as [Int32])
  func theStatusIsTheProgramsOwn(status: Int32) async throws {
    let exit = try await run("/bin/sh", "-c", "exit \(status)")
    #expect(exit.cause == .exited(status: status))
    #expect(exit.shellStatus == status)
  }

  @Test(arguments: [SIGTERM, SIGKILL, SIGINT])
  func aProgramThatASignalEndsSaysWhich(number: Int32) async throws {
    let exit = try await run("sh", "-c", "kill -\(number) $$")
    #expect(exit.cause == .signalled(number: number))
    #expect(exit.shellStatus == 128 + number)
  }

  @Test func argumentsEnvironmentAndFolderAreHandedOn() async throws {
    try await withFolder { folder in
      let file = folder.appending(path: "seen").path
      let script = "{ printf '%s|' \"$@\"; pwd; printf %s \"$HOME\"; } > '\(file)'"
      let exit = try await run("sh", "-c", script, "sh", "a b", "", "ü")
      #expect(exit.cause == .exited(status: 0))
      let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
      let seen = try String(contentsOfFile: file, encoding: .utf8)
      #expect(seen == "a b||ü|\(FileManager.default.currentDirectoryPath)\n\(home)")
    }
  }

  @Test func aProgramGetsNoDescriptorOfOurs() async throws {
    // As a library opens them that does not mark them close-on-exec.
    let ours = [dup(0), dup(1), dup2(0, 200)]
    defer { for descriptor in ours { close(descriptor) } }
    #expect(ours.allSatisfy { $0 > 2 && fcntl($0, F_GETFD) == 0 })
    try await withFolder { folder in
      let file = folder.appending(path: "seen").path
      // Not a shell, which may hold a descriptor of its own while it redirects.
      let script = """
        import os, sys
        seen = [name for name in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + name)]
        open(sys.argv[1], "w").write(" ".join(sorted(seen, key=int)))
        """
      let exit = try await run("python3", "-c", script, file)
      #expect(exit.cause == .exited(status: 0))
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "0 1 2")
    }
  }

  @Test func whatCannotBeRunIsNamed() async throws {
    #expect(throws: ProgramStartError.nothingToRun) { try ChildProcess.foreground([]) }
    for name in ["", "no-such-program-here", "/no/such/program"] {
      #expect(throws: ProgramStartError.notFound(name)) { try ChildProcess.foreground([name]) }
    }
    #expect(throws: ProgramStartError.notExecutable("/tmp", errno: EISDIR)) {
      try ChildProcess.foreground(["/tmp"])
    }
    try await withFolder { folder in
      let file = folder.appending(path: "text").path
      try Data("no program\n".utf8).write(to: URL(filePath: file))
      #expect(throws: ProgramStartError.notExecutable(file, errno: EACCES)) {
        try ChildProcess.foreground([file])
      }
      try #require(chmod(file, 0o700) == 0)
      #expect(throws: ProgramStartError.notExecutable(file, errno: ENOEXEC)) {
        try ChildProcess.foreground([file])
      }
    }
    #expect(ProgramStartError.notFound("x").exitStatus == 127)
    #expect(ProgramStartError.notExecutable("x", errno: EACCES).exitStatus == 126)
  }

  @Test func theProcessIsNamedByNumberAndStartTimeWhileItRuns() async throws {
    let program = try ChildProcess.foreground(["sleep", "1000"])
    #expect(ProcessLiveness.startTime(pid: program.pid) == program.startTime)
    #expect(ProcessLiveness.isAlive(pid: program.pid, startTime: program.startTime))
    #expect(!ProcessLiveness.isAlive(pid: program.pid, startTime: program.startTime + 1))
    program.send(signal: SIGKILL)
    let exit = await program.wait()
    #expect(exit.cause == .signalled(number: SIGKILL))
    #expect(!ProcessLiveness.isAlive(pid: program.pid, startTime: program.startTime))
    program.send(signal: SIGKILL)
    #expect(await program.wait() == exit)
  }

  @Test func everyoneWhoWaitsIsToldTheSame() async throws {
    let program = try ChildProcess.foreground(["sleep", "1000"])
    let exits = await withTaskGroup(of: ProgramExit.self, returning: [ProgramExit].self) { group in
      for _ in 0..<8 { group.addTask { await program.wait() } }
      program.send(signal: SIGTERM)
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(exits.count == 8 && Set(exits).count == 1)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT])
  func aSignalThatAProcessSendsUsReachesTheProgram(number: Int32) async throws {
    try await withFolder { folder in
      let ready = folder.appending(path: "ready")
      // It ends with the number of the signal that it gets, and says when it is ready to get one.
      let script = """
        import os, signal, sys
        number = int(sys.argv[2])
        # Kept back until it is waited for: none comes between two instructions that would miss it.
        signal.pthread_sigmask(signal.SIG_BLOCK, [number])
        open(sys.argv[1], "w").close()
        os._exit(signal.sigwait([number]))
        """
      let program = try ChildProcess.foreground(["python3", "-c", script, ready.path, "\(number)"])
      defer { program.send(signal: SIGKILL) }
      // The end of the file comes when the program has opened the pipe and closed it again.
      _ = try FileHandle(forReadingFrom: ready).readToEnd()
      kill(getpid(), number)
      #expect(await program.wait().cause == .exited(status: number))
    }
  }

  @Test func afterTheProgramSignalsDoWhatTheyDidBefore() async throws {
    var before = sigaction()
    sigaction(SIGUSR2, nil, &before)
    var during = sigaction()
    let program = try ChildProcess.foreground(["sleep", "1000"])
    sigaction(SIGUSR2, nil, &during)
    program.send(signal: SIGKILL)
    _ = await program.wait()
    var after = sigaction()
    sigaction(SIGUSR2, nil, &after)
    #expect(during.sa_flags & SA_SIGINFO != 0)
    #expect(after.sa_flags == before.sa_flags)
    #expect(
      unsafeBitCast(after.__sigaction_handler.sa_handler, to: Int.self)
        == unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self))
  }

  @Test func aSignalIgnoredFromTheStartStaysIgnored() async throws {
    let before = signal(SIGUSR1, SIG_IGN)
    defer { signal(SIGUSR1, before) }
    let exit = try await run("sh", "-c", "kill -USR1 $$; exit 4")
    #expect(exit.cause == .exited(status: 4))
  }

  @Test func passingOnEndsAsTheProgramEnded() async {
    await #expect(processExitsWith: .exitCode(7)) {
      try await ChildProcess.foreground(["sh", "-c", "exit 7"]).wait().passOn()
    }
    await #expect(processExitsWith: .signal(SIGTERM)) {
      try await ChildProcess.foreground(["sh", "-c", "kill -TERM $$"]).wait().passOn()
    }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      try await ChildProcess.foreground(["sh", "-c", "kill -KILL $$"]).wait().passOn()
    }
  }
}
