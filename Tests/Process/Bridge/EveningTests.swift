import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

@testable import LatchkeyBridge

extension ProcessTests {
  /// An evening with everything that tells a parent: the child's desktop, the parent's, a phone
  /// behind ntfy, and what Home Assistant reads.
  @Suite struct EveningTests {
    /// When the parent's machine is killed, and started again.
    enum Kill: CaseIterable {
      case never
      case beforeTheChildAsks
      case onceItIsAsked
      case onceItIsShown
      case onceItIsAnswered
    }

    private func start(_ words: [String], _ node: NodeProcess, _ desktop: DunstDesktop? = nil) throws {
      _ = try node.lab.spawn(
        BuiltProgram.path, words + ["--state-dir", node.folder], variables: desktop?.variables ?? [:],
        output: "/dev/null", talk: "\(node.folder).\(words.joined()).log")
    }

    /// Sets up a phone and the home automation, and starts their bridges.
    private func receivers(_ mum: NodeProcess, _ phone: NtfyServer, _ broker: MosquittoBroker) async throws {
      let added = try await mum.latchkey(
        "receivers", "add", "ntfy", "--server", phone.url, "--text", "names", "--may", "answer", "--at-most", "60m",
        "--username", "node", "--secret-file", phone.secretFile)
      #expect(added.status == 0, "\(added)")
      try await phone.obey(added.talk)
      let home = try await mum.latchkey(
        "receivers", "add", "mqtt", "--server", "localhost:\(broker.port)", "--ca", broker.authority, "--username",
        "latchkey", "--secret-file", broker.secret)
      #expect(home.status == 0, "\(home)")
      for name in ["ntfy", "mqtt"] { try start(["bridge", name], mum) }
    }

    // All at one time, since most of it is waiting.
    @Test("A game is about to close, the child asks from the notice, and the phone's button lets it go on")
    func evening() async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for kill in Kill.allCases {
          group.addTask { try await ProcessLab.run { lab in try await spend(lab, kill) } }
        }
        try await group.waitForAll()
      }
    }

    private func spend(_ lab: ProcessLab, _ kill: Kill) async throws {
      let home = try await AgentHome(lab)
      let (mum, pc) = (home.mum, home.pc)
      let (phone, broker) = (try await NtfyServer(lab), try await MosquittoBroker(lab))
      let (hers, mums) = (try await DunstDesktop(lab), try await DunstDesktop(lab))
      try await receivers(mum, phone, broker)
      try start(["notify"], pc, hers)
      try start(["notify"], mum, mums)
      func killed(_ now: Kill) async throws {
        guard now == kill else { return }
        await mum.kill()
        try await mum.start()
      }
      try await home.set([
        ("app/kart/name", "Kart"), ("app/kart/matchers", "path \(home.game)"), ("app/kart/limit", "5"),
      ])
      let emma = HomeTopics.child(try #require(try await mum.api.ask(Endpoints.getChildren).first).childID)
      let game = try await home.survivor()
      try await eventually("\(kill): the child is told that it closes soon") { try await hers.count == 1 }
      try await killed(.beforeTheChildAsks)
      try await hers.press("Ask for 15 min")
      let clock = ContinuousClock()
      let asked = clock.now
      try await killed(.onceItIsAsked)
      try await eventually("\(kill): the parent's desktop shows it") { try await mums.count == 1 }
      let question = try await phone.message("\(kill): the phone shows it") { $0.actions != nil }
      print("EveningTests: \(kill): shown on the desktop and the phone after \(clock.now - asked)")
      try await killed(.onceItIsShown)
      #expect(question.actions?.map(\.label) == ["15 min", "30 min", "No"], "\(kill): \(question)")
      try await phone.press("30 min", of: question)
      try await killed(.onceItIsAnswered)
      try await eventually("\(kill): the child has the answer") {
        try await pc.api.ask(Endpoints.getRequests, nil).first?.answer?.minutes == 30
      }
      try await eventually("\(kill): the notice disappears from the parent's desktop") { try await mums.count == 0 }
      try await eventually("\(kill): the child reads the answer") {
        try await hers.closeAll()
        return try await hers.history.contains { $0.title == "Your parents say yes" }
      }
      try await eventually("\(kill): the game has more time") {
        let kart = try await pc.api.ask(Endpoints.getOwnToday).apps.first { $0.appID.text == "kart" }
        return (kart?.verdict.leftMilliseconds ?? 0) > 15 * 60_000
      }
      #expect(game.isRunning, "It goes on, \(kill).")
      try await eventually("\(kill): the home automation reads the day as it is") {
        guard let state = try await broker.state(of: emma) else { return false }
        return state.status == .free && state.requests == 0
      }
      #expect(try await phone.messages().count { $0.actions != nil } == 1, "The phone is asked once, \(kill).")
    }
  }
}
