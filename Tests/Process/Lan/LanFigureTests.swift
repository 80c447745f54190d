import Foundation
import Glibc
import LatchkeyModel
import Testing

/// What is measured beside what Avahi's own tools need.
@Suite(.serialized) struct LanFigureTests {
  /// A child's machine is turned on; the parent has another address than the one that the child remembers.
  @Test(LanScenario.first.isChosen) func firstContact() async throws {
    try await LanScenario.first.run { lab in
      let hosts = try await lab.hosts(3)
      let (parent, children) = try await lab.family(Array(hosts.prefix(2)))
      await children[0].kill()
      await parent.kill()
      try await hosts[0].address("10.77.1.1/16")
      try await parent.start()
      try await lab.time("the parent finds by avahi-daemon") { try await parent.api.status().discovery == "avahiDaemon" }
      // Its announcement has been repeated by now, as it is when machines are turned on hours apart.
      try await Task.sleep(for: .seconds(3))
      let browse = ["avahi-browse", "--resolve", "--parsable", "--no-db-lookup", "_latchkey._tcp"]
      let output = lab.processes.newPath()
      var begun = ContinuousClock.now
      let browser = try hosts[2].spawn(browse, output: output)
      try await lab.time("avahi-browse has resolved", since: begun) { ProcessLab.read(output).contains(";10.77.1.1;") }
      browser.signal(SIGTERM)
      begun = .now
      try await children[0].start()
      try await lab.time("connected at an unknown address", since: begun) { try await parent.isConnected() }
      await children[0].kill()
      try await eventually("the parent knows it") { try await !parent.isConnected() }
      begun = .now
      try await children[0].start()
      lab.note("answering after \(LanLab.text(begun.duration(to: .now)))")
      try await lab.time("connected at a remembered address", since: begun) { try await parent.isConnected() }
    }
  }

  @Test(LanScenario.powerCut.isChosen) func powerCut() async throws {
    try await LanScenario.powerCut.run { lab in
      let hosts = try await lab.hosts(61)
      let (parent, children) = try await lab.family(hosts)
      for host in hosts { try await host.plug(false) }
      for node in [parent] + children { await node.kill() }
      for host in hosts {
        try await host.endDaemon(SIGKILL)
        try await host.address("10.77.1.\(host.number)/16")
        try await host.plug(true)
      }
      for host in hosts { try await host.startDaemon() }
      let begun = ContinuousClock.now
      try await withThrowingTaskGroup(of: Void.self) { group in
        for node in children + [parent] { group.addTask { try await node.start() } }
        try await group.waitForAll()
      }
      lab.note("all started within \(LanLab.text(begun.duration(to: .now)))")
      try await lab.time("all connected after that") {
        try await parent.api.devices().filter(\.isConnected).count == children.count
      }
    }
  }
}
