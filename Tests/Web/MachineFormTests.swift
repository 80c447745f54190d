import LatchkeyModel
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

/// A node that answers what the forms of machines ask, and notes it.
private final class FamilyNode: NodeInterface {
  struct State {
    var pairing = PairingPageTests.pairing(.asking)
    var refusal: LocalAPIError?
    var asked: [String] = []
    var invited: [InviteRequest] = []
    var answers: [PairingAnswer] = []
    var changes: [RuleRequest.Change] = []
    var seen: [RuleRequest.Change] = []
    var children: [ChildListing] = []
    var childName: String?
  }

  let state = Mutex(State())

  func ask<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer {
    let operation = endpoint.route.operationID
    let (refusal, answer) = state.withLock { state in (state.refusal, Self.answer(operation, input, &state)) }
    if let refusal, Self.isChange(operation) { throw refusal }
    guard let answer = answer as? Answer else { throw LocalAPIError(.internal, "\(operation) is not answered") }
    return answer
  }

  private static func isChange(_ operation: String) -> Bool {
    [
      Endpoints.invite.route, Endpoints.answerPairing.route, Endpoints.renameDevice.route, Endpoints.setRules.route,
    ].contains { $0.operationID == operation }
  }

  private static func answer(_ operation: String, _ input: Any, _ state: inout State) -> Any? {
    state.asked.append(operation)
    switch operation {
    case Endpoints.invite.route.operationID:
      if let request = input as? InviteRequest { state.invited.append(request) }
      var opened = PairingPageTests.pairing(.waiting)
      opened.code = PairingPageTests.codes.long
      return opened
    case Endpoints.answerPairing.route.operationID:
      if let (_, answer) = input as? (String, PairingAnswer) { state.answers.append(answer) }
      return state.pairing
    case Endpoints.cancelPairing.route.operationID: return state.pairing
    case Endpoints.getDevices.route.operationID: return [Sample.peer(childName: state.childName)]
    case Endpoints.syncNow.route.operationID: return [Sample.peer()]
    case Endpoints.getChildren.route.operationID: return state.children
    case Endpoints.getAccounts.route.operationID: return [Sample.account("guest", isOpen: true)]
    case Endpoints.assignAccount.route.operationID: return Sample.account("guest", of: ["Emma"])
    case Endpoints.renameDevice.route.operationID:
      state.children = [Sample.child("Emma")]
      state.childName = "Emma"
      return RenameResult(
        deviceID: Sample.device, name: DeviceName(sanitising: "Emma's PC"), childName: "Emma", isOwn: false, untold: [])
    case Endpoints.getRules.route.operationID: return ChildRules(child: Sample.child("Emma"), rules: [])
    case Endpoints.setRules.route.operationID:
      if let (_, request) = input as? (String, RuleRequest) {
        state.changes += request.changes
        state.seen += request.seen ?? []
      }
      return RuleEdit(rules: ChildRules(child: Sample.child("Emma"), rules: []), commands: [])
    case Endpoints.deleteDevice.route.operationID:
      return UnpairResult(device: Sample.peer().device, wasTold: true, cancelledCommands: 2)
    default: return nil
    }
  }
}

@Suite("The forms of machines")
struct MachineFormTests {
  private let node = FamilyNode()
  private let pairings = OpenPairings()

  private func send(_ path: String, _ fields: String) async throws -> FormOutcome {
    let form = try #require(PageTable.form(at: path, for: .parent))
    #expect(PageTable.form(at: path, for: .child) == nil)
    let fields = try #require(FormFields([UInt8](fields.utf8)))
    return try await form.act(FormCall(node: node, fields: fields, now: 0, pairings: pairings))
  }

  /// Returns what a form has done, in English.
  private func words(_ outcome: FormOutcome) -> [String] { outcome.sentences.map { $0.worded() } }

  @Test("A code is opened for a child of the family, for one who is named, or for nobody")
  func invite() async throws {
    for fields in ["child=Emma&name=", "child=Emma&name=Zoe,+Ben+,zoe", "child=&name=+"] {
      let outcome = try await send("/machines/pair", fields)
      #expect(outcome.sentences.isEmpty && outcome.page == "/machines/pair/0a1b" && !outcome.isFault)
    }
    #expect(node.state.withLock { $0.invited.map(\.childName) } == ["Emma", "Zoe, Ben", nil])
    #expect(node.state.withLock { $0.invited.allSatisfy { !$0.acceptWithoutAsking } })
    #expect(pairings.codes("0a1b")?.long == PairingPageTests.codes.long)
    node.state.withLock { $0.refusal = LocalAPIError(.limit, "Too many codes are open.") }
    let refused = try await send("/machines/pair", "name=Emma")
    #expect(words(refused) == ["Too many codes are open."] && refused.page == "/machines/pair" && refused.isFault)
  }

  @Test("An answer is for the machine that was asked about, and a no is kept")
  func answer() async throws {
    _ = try await send("/machines/pair/answer", "pairing=0a1b&attempt=2&answer=yes")
    #expect(!pairings.isRefusedHere("0a1b"))
    _ = try await send("/machines/pair/answer", "pairing=0a1b&attempt=3&answer=no")
    #expect(pairings.isRefusedHere("0a1b"))
    #expect(
      node.state.withLock { $0.answers } == [
        PairingAnswer(accept: true, attempt: 2), PairingAnswer(accept: false, attempt: 3),
      ])
    node.state.withLock { $0.refusal = LocalAPIError(.tooLate, "The question is no longer open.") }
    let late = try await send("/machines/pair/answer", "pairing=0c&attempt=2&answer=no")
    #expect(late.isFault && late.page == "/machines/pair/0c" && !pairings.isRefusedHere("0c"))
    let cancelled = try await send("/machines/pair/cancel", "pairing=0a1b")
    #expect(cancelled.sentences.isEmpty && cancelled.page == "/machines/pair/0a1b" && !cancelled.isFault)
  }

  @Test(
    "What is no answer and no ID changes nothing",
    arguments: [
      "pairing=0a1b&attempt=2&answer=maybe", "pairing=0a1b&attempt=2", "attempt=2&answer=yes",
      "pairing=..%2F..&attempt=2&answer=yes", "pairing=0a%0D%0ALocation:+x&attempt=2&answer=yes",
    ])
  func malformed(fields: String) async throws {
    await #expect(throws: PageFault.self) { () async throws -> Void in
      _ = try await send("/machines/pair/answer", fields)
    }
    #expect(node.state.withLock { $0.asked.isEmpty })
  }

  @Test("Each answer leads to the next open question, and the last one to the first page")
  func questions() async throws {
    let (device, child) = (Sample.device.description, Sample.child("Emma").childID.description)
    let owner = try await send("/machines/setup/owner", "device=\(device)&name=Emma")
    #expect(owner.page == "/machines/\(device)/setup?at=account-\(child)")
    #expect(words(owner) == ["“Emma's PC” belongs to Emma now."])
    let account = try await send("/machines/setup/account", "device=\(device)&child=\(child)&account=1000")
    #expect(account.page == "/machines/\(device)/setup?at=limit-\(child)")
    #expect(words(account) == ["The account guest on Emma's PC is Emma's now."])
    let limit = try await send("/machines/setup/limit", "device=\(device)&child=\(child)&limit=1h30m")
    #expect(limit.page == "/machines/\(device)/setup?at=bedtime-\(child)")
    let bedtime = try await send(
      "/machines/setup/bedtime", "device=\(device)&child=\(child)&from=20%3A00&until=07%3A00")
    #expect(bedtime.page == "/" && !bedtime.isFault)
    #expect(
      node.state.withLock { $0.changes } == [
        .init("limits/daily", "90"), .init("schedule/bedtime", "20:00-07:00"),
      ])
    // Each was asked while nothing was set, also for no weekday.
    let seen = node.state.withLock { $0.seen }
    #expect(seen.count == 9 && seen.allSatisfy { $0.value == nil })
    #expect(seen.contains(.init("limits/daily/sun", nil)) && seen.last == .init("schedule/bedtime", nil))
    node.state.withLock { $0.refusal = LocalAPIError(.tooLate, "It was changed.") }
    let late = try await send(
      "/machines/setup/bedtime", "device=\(device)&child=\(child)&from=20%3A00&until=07%3A00")
    #expect(late.isFault && late.page == "/machines/\(device)/setup?at=bedtime-\(child)")
  }

  @Test("An answer that is not possible is said on the same question")
  func impossible() async throws {
    let (device, child) = (Sample.device.description, Sample.child("Emma").childID.description)
    let limit = try await send("/machines/setup/limit", "device=\(device)&child=\(child)&limit=much")
    #expect(limit.isFault && limit.page == "/machines/\(device)/setup?at=limit-\(child)")
    #expect(words(limit) == ["A limit a day is 0 to 24 hours, such as 45, 45min or 1h30m, or none."])
    let nobody = try await send("/machines/setup/owner", "device=\(device)&name=&child=")
    #expect(words(nobody) == ["Name the child, or skip this question."])
    #expect(nobody.isFault && nobody.page == "/machines/\(device)/setup?at=owner")
    node.state.withLock { $0.refusal = LocalAPIError(.invalid, "A machine has that name.") }
    let rename = try await send("/machines/rename", "device=\(device)&name=x")
    #expect(rename.isFault && rename.page == "/machines/\(device)")
    node.state.withLock { $0.refusal = LocalAPIError(.timeout, "The node has stopped.") }
    await #expect(throws: LocalAPIError.self) { () async throws -> Void in
      _ = try await send("/machines/setup/limit", "device=\(device)&child=\(child)&limit=2h")
    }
  }

  @Test("A machine is called, renamed and removed")
  func machine() async throws {
    let device = Sample.device.description
    let called = try await send("/machines/sync", "device=\(device)")
    #expect(words(called) == ["“Emma's PC” is called now. This page shows when it answers."])
    let renamed = try await send("/machines/rename", "device=\(device)&name=PC")
    #expect(words(renamed) == ["It is called “Emma's PC” now."] && renamed.page == "/machines/\(device)")
    let removed = try await send("/machines/remove", "device=\(device)")
    #expect(
      words(removed) == [
        "“Emma's PC” is removed. It has been told.",
        "2 commands for it will not be executed; see `latchkey commands list`.",
      ])
    #expect(removed.page == "/machines")
  }
}
