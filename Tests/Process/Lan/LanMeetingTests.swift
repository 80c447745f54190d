import Foundation
import LatchkeyModel
import LatchkeyNode
import Testing

/// Tests of machines that meet on one network.
@Suite(.serialized) struct LanMeetingTests {
  @Test(LanScenario.meet2.isChosen) func twoNodesMeet() async throws {
    try await LanScenario.meet2.run { try await meet(2, $0) }
  }

  @Test(LanScenario.meet10.isChosen) func tenNodesMeet() async throws {
    try await LanScenario.meet10.run { try await meet(10, $0) }
  }

  @Test(LanScenario.meet40.isChosen) func fortyNodesMeet() async throws {
    try await LanScenario.meet40.run { try await meet(40, $0) }
  }

  /// All machines are turned off, get other addresses, as from a new router, and are turned on at
  /// once.
  private func meet(_ count: Int, _ lab: LanLab) async throws {
    let counter = try await MulticastCounter(lab)
    let hosts = try await lab.hosts(count)
    let (parent, children) = try await lab.family(hosts)
    for node in [parent] + children { await node.kill() }
    for host in hosts {
      try await host.endDaemon(SIGKILL)
      try await host.address("10.77.1.\(host.number)/16")
    }
    for host in hosts { try await host.startDaemon() }
    let before = try await counter.read()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for node in children + [parent] { group.addTask { try await node.start() } }
      try await group.waitForAll()
    }
    try await lab.time("all \(count) connected after the last had started", reach: .seconds(5)) {
      try await parent.api.ask(Endpoints.getDevices).filter(\.isConnected).count == children.count
    }
    #expect(try await parent.api.ask(Endpoints.getNearby).others == 0, "All of them are its own.")
    let after = try await counter.read()
    lab.note(
      "until then \(after.questions - before.questions) messages of mDNS with questions, "
        + "\(after.answers - before.answers) with answers")
  }
}
