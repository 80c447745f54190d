import Glibc
import LatchkeySystem
import Testing

/// Tests of talking to logind, which a program of the test's on a bus of its own stands for.
@Suite struct LoginBusTests {
  private let front = LoginSession(id: "1", user: 1_000, seat: "seat0", isActive: true, isLocked: false, type: "x11")
  private let remote = LoginSession(
    id: "c2", user: 1_001, seat: "", isActive: true, isLocked: true, type: "tty", isRemote: true)

  @Test("Sessions are read as they are, and again after a signal")
  func sessions() throws {
    let logind = try FakeLogind()
    defer { logind.stop() }
    logind.sessions = [front, remote]
    let bus = try #require(connect(logind))
    #expect(bus.sessions() == [front, remote])
    var locked = front
    locked.isLocked = true
    logind.sessions = [locked]
    logind.tellOfChange(in: "1")
    var ready = pollfd(fd: bus.descriptor, events: Int16(POLLIN), revents: 0)
    while !bus.process() { _ = poll(&ready, 1, -1) }
    #expect(bus.sessions() == [locked])
  }

  @Test("Orders are passed on, and it is said if logind refuses them")
  func orders() throws {
    let logind = try FakeLogind()
    defer { logind.stop() }
    let bus = try #require(connect(logind))
    #expect(bus.lock("1") && bus.terminateUser(1_001))
    #expect(!bus.terminateUser(0) && bus.isConnected)
    #expect(logind.asked == ["lock 1", "terminate 1001"])
  }

  @Test("Silence ends the connection, and the end of the bus is noticed")
  func silence() throws {
    let logind = try FakeLogind()
    defer { logind.stop() }
    logind.sessions = [front]
    let bus = try #require(connect(logind))
    logind.fallSilent()
    #expect(bus.sessions() == [] && !bus.isConnected && bus.descriptor == -1)
    let other = try #require(connect(logind))
    logind.endBus()
    while other.isConnected { _ = other.process() }
    #expect(other.sessions() == [] && !other.lock("1"))
    #expect(LoginBus(address: logind.address) == nil)
    #expect(LoginBus(address: "unix:path=/nonexistent/bus") == nil)
  }

  @Test("A bus on which there is no logind, or no more, is one that does not answer")
  func absent() throws {
    let logind = try FakeLogind()
    defer { logind.stop() }
    let bus = try #require(connect(logind))
    #expect(bus.sessions() == [] && bus.isConnected)
    logind.leave()
    #expect(bus.sessions() == [] && !bus.isConnected)
    let other = try #require(connect(logind))
    #expect(other.sessions() == [] && !other.isConnected)
  }

  /// Connects, however slow the machine is.
  private func connect(_ logind: FakeLogind) -> LoginBus? {
    for _ in 0..<20 { if let bus = LoginBus(address: logind.address) { return bus } }
    return nil
  }

  @Test("A session in use is a user's, local, in front and not locked")
  func inUse() {
    #expect(front.isInUse && !remote.isInUse)
    for change: (inout LoginSession) -> Void in [
      { $0.isActive = false }, { $0.isLocked = true }, { $0.seat = "" }, { $0.isRemote = true },
      { $0.sessionClass = "greeter" }, { $0.sessionClass = "background" }, { $0.state = "closing" },
    ] {
      var other = front
      change(&other)
      #expect(!other.isInUse)
    }
  }
}
