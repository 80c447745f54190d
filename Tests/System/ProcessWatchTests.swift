import Foundation
import Glibc
import LatchkeyModel
import LatchkeySystem
import Testing

/// The ends of processes, by the kernel's word.
@Suite struct ProcessWatchTests {
  /// A program that runs until it is killed, and is reaped when that is asked for.
  private func sleeper() throws -> ProcessIdentity {
    var pid: pid_t = 0
    let words: [UnsafeMutablePointer<CChar>?] = (["sleep", "600"] as [String]).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    try #require(posix_spawn(&pid, "/bin/sleep", nil, nil, words, environ) == 0)
    return ProcessIdentity(processID: pid, startTime: try #require(ProcessLiveness.startTime(pid: pid)))
  }

  private func reap(_ process: ProcessIdentity) {
    var status: Int32 = 0
    while waitpid(process.processID, &status, 0) < 0, errno == EINTR {}
  }

  private func end(_ process: ProcessIdentity) {
    kill(process.processID, SIGKILL)
    reap(process)
  }

  @Test func anEndIsToldAtOnceAndKept() async throws {
    let (ends, tell) = AsyncStream<Void>.makeStream()
    let watch = ProcessWatch { tell.yield() }
    let process = try sleeper()
    #expect(watch.state(of: process) == .running)
    let before = BootClock.now()
    kill(process.processID, SIGKILL)
    for await _ in ends { break }
    guard case .ended(let at, _) = watch.state(of: process) else {
      Issue.record("it has not ended")
      return
    }
    #expect(at >= before)
    reap(process)
    #expect(watch.state(of: process) == .ended(at: at, wall: try wall(watch, process)))
    watch.forget(process)
    #expect(watch.state(of: process) == .gone)
  }

  private func wall(_ watch: ProcessWatch, _ process: ProcessIdentity) throws -> Int64 {
    guard case .ended(_, let wall) = watch.state(of: process) else { throw POSIXError(.ESRCH) }
    return wall
  }

  @Test func whatEndedBeforeItWasWatchedIsGone() throws {
    let watch = ProcessWatch {}
    let zombie = try sleeper()
    kill(zombie.processID, SIGKILL)
    var information = siginfo_t()
    while waitid(P_PID, id_t(zombie.processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    #expect(watch.state(of: zombie) == .gone)
    reap(zombie)
    #expect(watch.state(of: zombie) == .gone)
    // The number of a process that runs, with the start time of another.
    let process = try sleeper()
    defer { end(process) }
    var other = process
    other.startTime += 1
    #expect(watch.state(of: other) == .gone)
    for pid: Int32 in [0, -1, .max] {
      #expect(watch.state(of: ProcessIdentity(processID: pid, startTime: 1)) == .gone)
    }
  }

  @Test func manyAreWatchedAndForgottenWithoutLeavingDescriptors() async throws {
    func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    let processes = try (0..<40).map { _ in try sleeper() }
    let (ends, tell) = AsyncStream<Void>.makeStream()
    var watch: ProcessWatch? = ProcessWatch { tell.yield() }
    for process in processes { #expect(watch?.state(of: process) == .running) }
    let held = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.contains("pidfd") == true
    }
    #expect(held.count >= 40)
    for process in processes.prefix(20) { kill(process.processID, SIGKILL) }
    var left = Set(processes.prefix(20))
    for await _ in ends {
      left = left.filter { watch?.state(of: $0) == .running }
      if left.isEmpty { break }
    }
    for process in processes.suffix(20) { #expect(watch?.state(of: process) == .running) }
    for process in processes { watch?.forget(process) }
    watch = nil
    for process in processes { end(process) }
  }

  @Test func theKernelSaysWhoseAProcessIsAndWhenItBegan() throws {
    let before = BootClock.now()
    let process = try sleeper()
    let seen = try #require(RunningProcess(pid: process.processID))
    #expect(seen.identity == process && seen.userID == getuid() && !seen.hasEnded)
    // In ticks of 10 ms, rounded down.
    #expect(seen.startedAt + 10 >= before && seen.startedAt <= BootClock.now())
    kill(process.processID, SIGKILL)
    var information = siginfo_t()
    while waitid(P_PID, id_t(process.processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let ended = try #require(RunningProcess(pid: process.processID))
    #expect(ended.hasEnded && ended.userID == getuid() && ended.identity == process)
    reap(process)
    #expect(RunningProcess(pid: process.processID) == nil)
    #expect(RunningProcess(pid: 1)?.userID == 0)
    for pid: Int32 in [0, -1, .min, .max] { #expect(RunningProcess(pid: pid) == nil) }
  }
}
