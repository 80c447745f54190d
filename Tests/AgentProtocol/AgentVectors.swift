import Foundation
import LatchkeyAgentProtocol
import LatchkeyModel

/// The examples of an independent implementation: Protocol/vectors/agent.json.
struct AgentVectors: Decodable {
  struct Hello: Decodable {
    let run: UInt64
    let isSystem: Bool
    let hasEvents: Bool
    let hasSessions: Bool
    let hasInput: Bool
    let user: UInt32
    let boot: String
    let orders: UInt64?
    let bytes: String
    var frame: AgentFrame {
      .hello(
        AgentHello(
          run: run, isSystem: isSystem, hasEvents: hasEvents, hasSessions: hasSessions, hasInput: hasInput, user: user,
          boot: boot, orders: orders))
    }
  }
  struct Welcome: Decodable {
    let run: UInt64
    let stored: UInt64
    let bytes: String
  }
  struct Stored: Decodable {
    let number: UInt64
    let bytes: String
  }
  struct Terms: Decodable {
    let closesAt: Int64?
    let step: String
    let grace: Int64
    let warnings: [Int64]
    let reason: String
    var value: ProgramTerms {
      ProgramTerms(
        closesAt: closesAt.map { BootInstant(milliseconds: $0) }, step: step == "pause" ? .pause : .close,
        graceMilliseconds: grace, warnings: warnings.map { BootInstant(milliseconds: $0) }, reason: reason)
    }
  }
  struct Sessions: Decodable {
    let step: String
    let closesAt: Int64?
    let opensAt: Int64?
    let warnings: [Int64]
    let reason: String
    var value: SessionTerms {
      SessionTerms(
        step: step == "lock" ? .lock : step == "lockUnlessAllowed" ? .lockUnlessAllowed : .close,
        closesAt: closesAt.map { BootInstant(milliseconds: $0) },
        opensAt: opensAt.map { BootInstant(milliseconds: $0) },
        warnings: warnings.map { BootInstant(milliseconds: $0) }, reason: reason)
    }
  }
  struct Program: Decodable {
    let app: AppID
    let category: AppCategory
    let isAlwaysAllowed: Bool
    let countsLaunches: Bool
    let terms: Terms
    let matchers: [AppMatcher]
    let processes: [ProcessIdentity]?
    var value: ProgramOrder {
      ProgramOrder(
        app: app, category: category, isAlwaysAllowed: isAlwaysAllowed, countsLaunches: countsLaunches,
        terms: terms.value, matchers: matchers,
        processes: processes ?? [])
    }
  }
  struct Screen: Decodable {
    let source: String
    let grace: Int64
    var value: ScreenTerms {
      ScreenTerms(
        source == "sessions" ? .sessions : source == "programs" ? .programs : .sessionsWithoutLearning,
        graceMilliseconds: grace)
    }
  }
  struct AccountPart: Decodable {
    let account: UInt32
    let name: String
    let home: String
    let screen: Screen
    let sessions: Sessions?
    let unknown: Terms?
    let programs: [Program]
  }
  struct Orders: Decodable {
    let number: UInt64
    let boot: String
    let at: Int64
    let accounts: [AccountPart]
    let bytes: String
    var value: AgentOrders {
      AgentOrders(
        number: number, boot: boot, at: BootInstant(milliseconds: at),
        accounts: accounts.map {
          AccountOrders(
            account: $0.account, name: $0.name, home: $0.home, screen: $0.screen.value, sessions: $0.sessions?.value,
            unknown: $0.unknown?.value, programs: $0.programs.map(\.value))
        })
    }
  }
  struct Use: Decodable {
    let account: UInt32
    let app: AppID?
    let isWeak: Bool
    let processID: Int32
    let startTime: UInt64
    var value: ProgramUse {
      ProgramUse(
        account: account, app: app, isWeak: isWeak,
        process: ProcessIdentity(processID: processID, startTime: startTime))
    }
  }
  struct Report: Decodable {
    let number: UInt64
    let at: Int64
    let hasSessions: Bool?
    let hasInput: Bool?
    let event: String
    let use: Use?
    let since: Int64?
    let milliseconds: Int64?
    let activity: Int64?
    let deed: String?
    let reason: String?
    let matchers: [AppMatcher]?
    let account: UInt32?
    let app: AppID?
    let orders: UInt64?
    let fault: String?
    let detail: String?
    let hasOlder: Bool?
    let count: UInt64?
    let areEnded: Bool?
    let bytes: String
    var value: AgentReport? {
      let event: AgentReport.Event? =
        switch self.event {
        case "began":
          use.map { .began($0.value, since: BootInstant(milliseconds: since ?? -1), activity: activity ?? -1) }
        case "active": use.map { .active($0.value, milliseconds: milliseconds ?? -1, activity: activity ?? -1) }
        case "ended": use.map { .ended($0.value, milliseconds: milliseconds ?? -1, activity: activity ?? -1) }
        case "closed":
          use.map {
            .closed(
              $0.value, deed == "asked" ? .asked : deed == "killed" ? .killed : .paused, reason: reason ?? "missing",
              matchers: matchers ?? [])
          }
        case "warned": .warned(account: account ?? 0, app: app, left: milliseconds ?? -1)
        case "inForce": .inForce(orders: orders ?? 0)
        case "rescanned": .rescanned
        case "refused":
          .refused(
            orders: orders ?? 0,
            OrderFault(
              fault == "noAccount"
                ? .noAccount : fault == "notKept" ? .notKept : fault == "notLocked" ? .notLocked : .neededProgram,
              account: account ?? 0,
              app: app, detail: detail ?? "")
          )
        case "clockSet": .clockSet(milliseconds: milliseconds ?? 0)
        case "slept": .slept(milliseconds: milliseconds ?? 0)
        case "ordersDamaged": .ordersDamaged(hasOlder: hasOlder ?? false)
        case "dropped": .dropped(count: count ?? 0)
        case "sessionsClosed":
          .sessionsClosed(account: account ?? 0, areEnded: areEnded ?? false, reason: reason ?? "missing")
        case "logInRefused": .logInRefused(account: account ?? 0, reason: reason ?? "missing")
        case "letThrough": .letThrough(count: count ?? 0)
        case "senses": .senses(hasSessions: hasSessions ?? false, hasInput: hasInput ?? false)
        case "unreadable": .unreadable(account: account ?? 0, count: count ?? 0)
        case "screenTime": .screenTime(account: account ?? 0, milliseconds: milliseconds ?? -1)
        case "sessionsWarned":
          .sessionsWarned(account: account ?? 0, left: milliseconds ?? -1, reason: reason ?? "missing")
        default: nil
        }
      return event.map { AgentReport(number: number, at: BootInstant(milliseconds: at), event: $0) }
    }
  }
  struct Question: Decodable {
    let account: UInt32
    let bytes: String
  }
  struct Answer: Decodable {
    let isAllowed: Bool
    let reason: String
    let bytes: String
  }
  struct Refused: Decodable {
    let bytes: String
    let why: String
  }
  struct Image: Decodable {
    let path: String
    let sha256: String?
    let packages: Set<String>
    let snap: String?
  }
  struct Process: Decodable {
    let name: String
    let arguments: String
    let hasMoreArguments: Bool
    let images: [Image]
    let flatpak: String?
    let isGenuineFlatpak: Bool
    var facts: ProcessFacts {
      ProcessFacts(
        identity: ProcessIdentity(processID: 9, startTime: 9), account: 1_000, startedAt: BootInstant(milliseconds: 1),
        name: name, arguments: arguments, hasMoreArguments: hasMoreArguments,
        images: images.map { .init(path: $0.path, sha256: $0.sha256, packages: $0.packages, snap: $0.snap) },
        flatpak: flatpak,
        isGenuineFlatpak: isGenuineFlatpak)
    }
  }
  struct Recognition: Decodable {
    struct Result: Decodable, Equatable {
      let app: AppID
      let isWeak: Bool
    }
    let process: Process
    let `is`: Result?
  }
  struct Lineage: Decodable {
    struct Process: Decodable {
      let processID: Int32
      let startTime: UInt64
      let app: AppID
    }
    let boot: String
    let processes: [Process]
    let bytes: String
    var value: [ProcessIdentity: AppID] {
      Dictionary(
        uniqueKeysWithValues: processes.map {
          (ProcessIdentity(processID: $0.processID, startTime: $0.startTime), $0.app)
        })
    }
  }
  struct Pattern: Decodable {
    let pattern: String
    let arguments: String
    let matches: Bool
  }

  let hello: [Hello]
  let welcome: [Welcome]
  let orders: [Orders]
  let reports: [Report]
  let stored: [Stored]
  let refused: [Refused]
  let questions: [Question]
  let answers: [Answer]
  let noGate: [String]
  let file: String
  let lineage: Lineage
  let programs: [Program]
  let recognition: [Recognition]
  let patterns: [Pattern]

  static func load() throws -> AgentVectors {
    let path = URL(filePath: #filePath).appending(path: "../../../Protocol/vectors/agent.json").standardized
    return try JSONDecoder().decode(AgentVectors.self, from: try Data(contentsOf: path))
  }
}
