import Foundation
import Glibc
import LatchkeyHousehold
import LatchkeyModel
import Testing

/// Tests of changes in a network while two nodes are connected.
///
/// Each ends with a delivery, which a session that only appears to be alive cannot provide.
@Suite(.serialized) struct LanDisturbanceTests {
  @Test(LanScenario.loss.isChosen) func lossAndDelay() async throws {
    try await LanScenario.loss.run { lab in
      let hosts = try await lab.hosts(2)
      for host in hosts {
        try await host.delay(milliseconds: 100)
        try await host.shell(
          """
          nft add table inet lab
          nft add chain inet lab in '{ type filter hook input priority 0; }'
          nft add rule inet lab in iifname eth0 numgen random mod 100 '<' 20 drop
          """)
      }
      let (parent, children) = try await lab.family(hosts, tries: 4)
      try await lab.deliver("a message", from: parent, to: "Child 1")
      for node in [parent] + children { await node.kill() }
      try await hosts[0].address("10.77.1.1/16")
      for node in [parent] + children { try await node.start() }
      try await lab.time("connected after a start with another address") { try await parent.isConnected() }
      try await lab.deliver("a message", from: parent, to: "Child 1")
    }
  }

  @Test(LanScenario.flaps.isChosen) func flappingLink() async throws {
    try await LanScenario.flaps.run { lab in
      let hosts = try await lab.hosts(2)
      let (parent, _) = try await lab.family(hosts)
      for milliseconds in [100, 400, 100, 900, 2_500] {
        try await hosts[1].plug(false)
        // Real time must pass, because the cable is out, and then in, for exactly that long: the
        // lengths are the case.
        try await Task.sleep(for: .milliseconds(milliseconds))
        try await hosts[1].plug(true)
        try await Task.sleep(for: .milliseconds(100))
      }
      try await lab.deliver("a message after the last", from: parent, to: "Child 1", reach: .seconds(3))
      // Including commands issued while the cable was out.
      try await hosts[0].plug(false)
      let id = try await parent.issue(.message("later"), to: "Child 1")
      // Real time must pass, because the cable must be out for longer than the 2 s after which a
      // session in doubt is dead.
      try await Task.sleep(for: .seconds(4))
      try await hosts[0].plug(true)
      let begun = ContinuousClock.now
      _ = try await parent.ended(id)
      lab.note("what waited during 4 s without a cable", begun.duration(to: .now), reach: .seconds(3))
    }
  }

  @Test(LanScenario.address.isChosen) func changedAddress() async throws {
    try await LanScenario.address.run { lab in
      let hosts = try await lab.hosts(3)
      let (parent, _) = try await lab.family(Array(hosts.prefix(2)))
      let browser = try lab.browse(hosts[2])
      try await eventually("avahi-browse sees both") {
        LanLab.resolved(browser).count >= 2
      }
      try await hosts[0].address("10.77.1.1/16")
      try await lab.deliver("to the parent's new address", from: parent, to: "Child 1", beside: browser)
      try await hosts[1].address("10.77.1.2/16")
      try await lab.deliver("to the child's new address", from: parent, to: "Child 1", beside: browser)
      // A child with a closed firewall still learns the parent's address.
      try await hosts[1].shell(
        "nft 'add table inet shut; add chain inet shut in { type filter hook input priority 0; }; "
          + "add rule inet shut in iifname eth0 tcp flags & (syn | ack) == syn drop'")
      try await hosts[0].address("10.77.2.1/16")
      try await lab.deliver(
        "to a child that cannot be called, after the parent moved", from: parent, to: "Child 1", reach: .seconds(3))
      try await hosts[1].shell("nft delete table inet shut")
      // Both at once, as when the router is another one.
      try await hosts[0].address("192.168.5.1/24")
      try await hosts[1].address("192.168.5.2/24")
      try await lab.deliver("after both moved", from: parent, to: "Child 1", reach: .seconds(3))
    }
  }

  @Test(LanScenario.stopped.isChosen) func standingStill() async throws {
    try await LanScenario.stopped.run { lab in
      let hosts = try await lab.hosts(3)
      let (parent, children) = try await lab.family(Array(hosts.prefix(2)))
      await children[0].signal(SIGSTOP)
      try await lab.time("the parent noticed", seconds: 100) { try await !parent.isConnected() }
      let id = try await parent.issue(.message("good morning"), to: "Child 1")
      // Real time must pass, because a stopped process reports nothing, and it must stand still
      // while the command is queued.
      try await Task.sleep(for: .seconds(5))
      await children[0].signal(SIGCONT)
      let begun = ContinuousClock.now
      _ = try await parent.ended(id)
      let taken = begun.duration(to: .now)
      lab.note("return", taken, reach: .seconds(3))
      let (browser, resolved) = try await lab.browse(hosts[2], until: ";10.77.0.2;")
      browser.signal(SIGTERM)
      lab.compare("beside it", [taken], with: "avahi-browse", [resolved])
    }
  }

  @Test(LanScenario.death.isChosen) func uncleanDeath() async throws {
    try await LanScenario.death.run { lab in
      let hosts = try await lab.hosts(3)
      let (parent, children) = try await lab.family(hosts)
      // Cable first: neither a goodbye nor a reset gets out.
      try await hosts[1].plug(false)
      await children[0].kill()
      try await hosts[1].endDaemon(SIGKILL)
      let id = try await parent.issue(.message("when you are back"), to: "Child 1")
      try await hosts[1].address("10.77.1.2/16")
      // Real time must pass, because the machine is off for that long, and nothing ends that by
      // itself.
      try await Task.sleep(for: .seconds(3))
      try await hosts[1].plug(true)
      try await hosts[1].startDaemon()
      let begun = ContinuousClock.now
      try await children[0].start()
      _ = try await parent.ended(id)
      lab.note("delivered after its start", begun.duration(to: .now), reach: .seconds(3))
      try await lab.deliver("to the other child", from: parent, to: "Child 2")
    }
  }
}
