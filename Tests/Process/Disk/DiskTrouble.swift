import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Testing

/// A parent and a child, one of which is on a disk that fails and recovers while both continue
/// their work.
struct DiskTrouble: Sendable {
  let parent: NodeProcess
  let child: NodeProcess
  let sick: NodeProcess
  /// How the sick one says it.
  let sentence: String
  /// Names the case.
  let note: String

  /// Makes the disk fail after a while, checks the effects, repairs the disk, and checks that
  /// nothing was lost.
  func run(fall: () throws -> Void, rise: () throws -> Void) async throws {
    try await sick.lab.pair(parent, child)
    var given: [String] = []
    for number in 0..<5 { given.append(try await give(number)) }
    for id in given { #expect(try await parent.ended(id).status == .executed) }
    let session = try await Self.startUse(of: "begun.before", on: child)
    let process = await sick.pid
    let well = sick.name == parent.name ? child : parent
    // Programs of one application that were begun before there was no room for another; they share
    // a session.
    var begun: [BegunUse] = []

    try fall()
    if sick.name == parent.name {
      // Work that fits the remaining space is accepted and kept.
      try await refusal { given.append(try await give(given.count)) }
      try await record("while.ill", on: child)
    } else {
      for number in given.count..<2_000 where try await !isSaid() { given.append(try await give(number)) }
      let long = "not.to.be." + String(repeating: "x", count: 240)
      try await refusal(hasLimit: true) { begun.append(try await Self.startUse(of: long, on: child)) }
      // The end of one session may fit where the beginning of another does not.
      do { try await Self.endUse(session, on: child) } catch let error as LocalAPIError {
        #expect(error.code == .storage && error.message.hasPrefix(sentence), "\(error), \(note)")
      }
    }
    try await eventually("it is said") { try await isSaid() }
    let shown = try await sick.latchkey(["status"])
    #expect(shown.status == 0 && shown.output.contains(sentence), "\(shown), \(note)")
    try await watchTries(of: well)

    try rise()
    try await eventually("it is not said any more") { try await !isSaid() }
    #expect(await sick.pid == process, "\(note)")
    given.append(try await give(given.count))
    try await Self.endUse(session, on: child)
    for use in begun.dropLast() { await use.program.end() }
    if let last = begun.last { try await Self.endUse(last, on: child) }
    try await record("used.after", on: child)
    for id in given {
      let command = try await parent.ended(id)
      #expect(command.status == .executed, "\(command), \(note)")
    }
    for node in [child, parent] { try await eventually("nothing waits") { try await node.hasNothingWaiting() } }
    for node in [parent, child] { #expect(await node.terminate() == .exited(0)) }
    try check(given, records: sick.name == parent.name ? 3 : begun.isEmpty ? 2 : 3)
  }

  /// Checks that the other node retries at its usual rate.
  private func watchTries(of well: NodeProcess) async throws {
    let (sessions, refusals) = (Self.count("session open", in: well.log), Self.count("refused", in: sick.log))
    // A rate has no event to wait for: this is the time over which it is measured.
    try await Task.sleep(for: .seconds(6))
    #expect(Self.count("session open", in: well.log) - sessions <= 12, "\(note)")
    #expect(Self.count("refused", in: sick.log) - refusals <= 60, "\(note)")
  }

  private func check(_ given: [String], records: Int) throws {
    let received = try child.read {
      try Row.fetchAll($0, sql: "SELECT command_id, text FROM received_message ORDER BY command_id")
    }
    let ids = received.compactMap { CommandID(bytes: $0["command_id"] as Data)?.description }
    #expect(Set(ids) == Set(given) && ids.count == given.count, "\(ids.count) of \(given.count), \(note)")
    let commands = try parent.read {
      try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM command WHERE status = 'executed'")
    }
    #expect(commands == given.count, "\(note)")
    let here = try child.read { try Set(Data.fetchAll($0, sql: "SELECT record_id FROM usage_record")) }
    let there = try parent.read { try Set(Data.fetchAll($0, sql: "SELECT record_id FROM usage_record")) }
    #expect(here == there && here.count == records, "\(here.count) here, \(there.count) there, \(note)")
    for node in [parent, child] {
      let verdict = try node.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
      #expect(verdict == ["ok"], "\(node.name), \(note)")
    }
  }

  private func isSaid() async throws -> Bool {
    try await sick.api.ask(Endpoints.getStatus).warnings.contains { $0.hasPrefix(sentence) }
  }

  /// Repeats work until it is refused with the right error; small writes succeed while there is
  /// space.
  ///
  /// Small work may fit in what is left until a limit of the node's is reached.
  private func refusal(hasLimit: Bool = false, _ work: () async throws -> Void) async throws {
    for _ in 0..<5_000 {
      do { try await work() } catch let error as LocalAPIError {
        if hasLimit, error.code == .limit { return }
        #expect(error.code == .storage && error.message.hasPrefix(sentence), "\(error), \(note)")
        return
      }
    }
    throw LabFault("It was never refused.")
  }

  private func give(_ number: Int) async throws -> String {
    try await parent.issue(.message("\(number) " + String(repeating: "x", count: 3_000)), to: child.name)
  }

  private func record(_ app: String, on child: NodeProcess) async throws {
    try await Self.endUse(try await Self.startUse(of: app, on: child), on: child)
  }

  /// A session that was begun, with its program, which runs until the session is to end.
  struct BegunUse {
    let id: RecordID
    let program: UsedProgram
  }

  /// Begins to record a program's use.
  static func startUse(of app: String, on child: NodeProcess) async throws -> BegunUse {
    let program = try UsedProgram()
    return BegunUse(id: try await child.api.ask(Endpoints.startUsage, program.request(app)).recordID, program: program)
  }

  static func endUse(_ use: BegunUse, on child: NodeProcess) async throws {
    await use.program.end()
    _ = try await child.api.ask(Endpoints.endUsage, use.id.description)
  }

  private static func count(_ words: String, in log: String) -> Int { log.components(separatedBy: words).count - 1 }
}
