import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

/// Measurements beside those of Avahi's own tools.
@Suite(.serialized) struct LanFigureTests {
  /// Children's machines are turned on, one after the other; the parent has another address than
  /// the one that they remember.
  @Test(LanScenario.first.isChosen) func firstContact() async throws {
    try await LanScenario.first.run { lab in
      let hosts = try await lab.hosts(4)
      let lookers = try await lab.hosts(3, from: 11)
      let (parent, children) = try await lab.family(hosts)
      // An avahi-daemon whose address is taken away while it still looks for its host name never
      // gets done with that.
      try await eventually("avahi-daemon has started") {
        try await parent.api.ask(Endpoints.getStatus).discovery == "avahi-daemon"
      }
      for node in children + [parent] { await node.kill() }
      try await hosts[0].address("10.77.1.1/16")
      try await parent.start()
      try await lab.time("the parent finds by avahi-daemon") {
        try await parent.api.ask(Endpoints.getStatus).discovery == "avahi-daemon"
      }
      var resolved: [Duration] = []
      var contact: [Connecting] = []
      var back: [Connecting] = []
      for (child, looker) in zip(children, lookers) {
        // Real time must pass, because avahi-daemon reports neither that it has repeated its
        // announcement nor that a second is over in which it sends no record again.
        try await Task.sleep(for: .seconds(3))
        let (browser, duration) = try await lab.browse(looker, until: ";10.77.1.1;")
        resolved.append(duration)
        browser.signal(SIGTERM)
        // Real time must pass for the same reason: avahi-browse has asked for these records.
        try await Task.sleep(for: .seconds(3))
        contact.append(try await connect(child))
        // With this the child has written down where it was.
        try await lab.deliver("a message", from: parent, to: child.name)
        await child.kill()
        back.append(try await connect(child))
        await child.kill()
      }
      lab.compare("first contact, from the process's start", contact.map(\.all), with: "avahi-browse", resolved)
      lab.compare("from the node's", contact.map(\.node), with: "avahi-browse", resolved, reach: 1.2)
      lab.note("at a remembered address, from the process's start \(LanLab.text(LanLab.median(back.map(\.all))))")
      lab.note("from the node's", LanLab.median(back.map(\.node)), reach: .milliseconds(300))
    }
  }

  /// The time until a node was connected, from the start of its process and from the start of its
  /// search.
  private typealias Connecting = (all: Duration, node: Duration)

  private func connect(_ child: NodeProcess) async throws -> Connecting {
    let begun = Date()
    try await child.start()
    try await eventually("\(child.name) is connected") { try await child.isConnected() }
    guard let node = child.logged("running"), let connected = child.logged("session open") else {
      throw LabFault("\(child.name) does not say when it ran and was connected.")
    }
    return (.seconds(connected.timeIntervalSince(begun)), .seconds(connected.timeIntervalSince(node)))
  }

  /// Both machines that look have just been turned on, avahi-daemon with them.
  @Test(LanScenario.cold.isChosen) func coldStart() async throws {
    try await LanScenario.cold.run { lab in
      let hosts = try await lab.hosts(3)
      let (parent, children) = try await lab.family(Array(hosts.prefix(2)))
      for node in [parent] + children { await node.kill() }
      try await hosts[0].address("10.77.1.1/16")
      try await parent.start()
      for host in hosts { try await host.endDaemon(SIGKILL) }
      try await hosts[0].startDaemon()
      try await eventually("the parent is announced") {
        try await parent.api.ask(Endpoints.getStatus).discovery == "avahi-daemon"
      }
      // Real time must pass, because avahi-daemon does not report that it has repeated its
      // announcement.
      try await Task.sleep(for: .seconds(3))
      try await hosts[2].startDaemon()
      let (browser, resolved) = try await lab.browse(hosts[2], until: ";10.77.1.1;")
      browser.signal(SIGTERM)
      // Real time must pass, because avahi-daemon does not report that a second is over in which it
      // sends no record again.
      try await Task.sleep(for: .seconds(3))
      try await hosts[1].startDaemon()
      let cold = try await connect(children[0])
      lab.compare("cold start, from the process's start", [cold.all], with: "avahi-browse", [resolved])
      lab.compare("from the node's", [cold.node], with: "avahi-browse", [resolved], reach: 1.2)
    }
  }

  /// A day of three nodes, with names that last two seconds instead of an hour.
  @Test(LanScenario.day.isChosen) func aDayOnTheAir() async throws {
    try await LanScenario.day.run { lab in
      let hosts = try await lab.hosts(4)
      let output = try lab.browse(hosts[3])
      let (parent, children) = try await lab.family(Array(hosts.prefix(3)))
      for node in [parent] + children {
        await node.kill()
        await node.add(["LATCHKEY_ROTATE_SECONDS": "2"])
      }
      for node in [parent] + children { try await node.start() }
      let seen = try await lab.until(seconds: 450) { () -> [Announced]? in
        let seen = Announced.read(ProcessLab.read(output))
        let hours = Dictionary(grouping: Set(seen.map { "\($0.address) \($0.instance)" })) { $0.prefix { $0 != " " } }
        return hours.count == 3 && hours.values.allSatisfy { $0.count >= 24 } ? seen : nil
      }
      // Every value in an announcement is unique to its name, except for `v=1` and the address.
      var owners: [String: Set<String>] = [:]
      for one in seen {
        for value in [one.host] + one.text where value != "\"v=1\"" { owners[value, default: []].insert(one.instance) }
      }
      let repeated = owners.filter { $0.value.count > 1 }
      try lab.check(repeated.isEmpty, "said in more than one hour: \(repeated)")
      try lab.check(owners.count >= 3 * 24 * 3, "too little was seen: \(owners.count)")
      try lab.check(seen.allSatisfy { $0.text.contains("\"v=1\"") && $0.text.count == 3 }, "other pairs than v, n, h")
      try lab.check(
        try await parent.api.ask(Endpoints.getDevices).allSatisfy(\.isConnected), "a session did not outlive its names")
      lab.note("\(Set(seen.map(\.instance)).count) names, \(owners.count) values, none of them twice")
      if let report = LanScenario.report {
        try ProcessLab.read(output).write(toFile: report + ".day", atomically: true, encoding: .utf8)
      }
    }
  }

  /// Bytes of mDNS that enter the bridge while nothing happens.
  @Test(LanScenario.idle.isChosen) func idleMulticast() async throws {
    try await LanScenario.idle.run { lab in
      let counter = try await MulticastCounter(lab)
      func bytes() async throws -> Int { try await counter.read().bytes }
      let hosts = try await lab.hosts(4)
      // Real time must pass here and below, because the case counts the bytes of whole minutes. The
      // first minute of each, with its announcements, is left out.
      try await Task.sleep(for: .seconds(60))
      var before = try await bytes()
      try await Task.sleep(for: .seconds(60))
      let daemons = try await bytes() - before
      _ = try await lab.family(hosts)
      try await Task.sleep(for: .seconds(60))
      before = try await bytes()
      try await Task.sleep(for: .seconds(120))
      let nodes = try await bytes() - before
      lab.note("4 avahi-daemons alone, second minute: \(daemons * 60 / 4) bytes an hour each")
      lab.note("with nodes, second and third minute: \(nodes * 30 / 4) bytes an hour each")
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
      try await lab.time("all connected after that", reach: .seconds(5)) {
        try await parent.api.ask(Endpoints.getDevices).filter(\.isConnected).count == children.count
      }
    }
  }
}
