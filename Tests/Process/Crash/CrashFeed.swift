import Glibc
import LatchkeyControl
import LatchkeyModel

/// Feeds two nodes that are killed all the while through their local APIs: sessions to the child, commands to the parent, each
/// accepted once, however often it has to be asked for.
struct CrashFeed: Sendable {
  let parent: NodeProcess
  let child: NodeProcess
  let records: Int
  let commands: Int
  let pace: CrashPace

  private static let workers = 12

  /// Feed until all is accepted.
  func run() async throws {
    let start = try Self.ownStartTime()
    let (parentAPI, childAPI) = (try await parent.api, try await child.api)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.workers {
        group.addTask {
          let client = PlainClient(folder: child.folder)
          while let number = try await pace.take() {
            try await recordUse(number, client, childAPI, start)
            await pace.recordAccepted()
          }
        }
      }
      group.addTask {
        for number in 1...commands {
          try await pace.reach(number * records / commands)
          try await giveCommand(number, parentAPI)
        }
      }
      try await group.waitForAll()
    }
  }

  private func giveCommand(_ number: Int, _ api: ControlClient) async throws {
    var wasAsked = false
    try await ChaosFamily.persistently {
      if wasAsked, try await api.commands(device: child.name, limit: 1).first.flatMap(ChaosFamily.number) == number {
        return
      }
      wasAsked = true
      _ = try await api.issue(
        CommandRequest(device: child.name, action: .setApp(.init(appID: "rule.\(number)", dailyLimitMinutes: number))))
    }
  }

  private func recordUse(_ number: Int, _ client: PlainClient, _ api: ControlClient, _ start: UInt64) async throws {
    var wasAsked = false
    let id = try await ChaosFamily.persistently {
      if wasAsked, let known = try await api.usage(UsageQuery(appID: "use.\(number)")).sessions.first {
        return known.record.recordID
      }
      wasAsked = true
      let started: UsageStarted = try await client.post(
        "/v1/usage/sessions",
        UsageStartRequest(
          appID: "use.\(number)", processID: getpid(), processStartTime: start, startedAt: Self.now(),
          startedAtWall: Int64(number) * 60_000, zone: "Europe/Berlin"))
      return started.recordID
    }
    try await ChaosFamily.persistently {
      let _: UsageRecord = try await client.post(
        "/v1/usage/sessions/\(id)/end",
        UsageEndRequest(endedAt: Self.now(), endedAtWall: Int64(number) * 60_000 + 1_000))
    }
  }

  private static func now() -> BootInstant {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return BootInstant(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Field 22 of this process's own `stat`, so that nodes see the program of a session alive.
  private static func ownStartTime() throws -> UInt64 {
    let text = ProcessLab.read("/proc/self/stat")
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    guard fields.count > 20, let start = UInt64(fields[20]) else {
      throw LabFault("/proc/self/stat is not understood.")
    }
    return start
  }
}
