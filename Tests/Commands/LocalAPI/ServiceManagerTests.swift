import Glibc
import LatchkeyModel
import LatchkeySystem
import Testing

/// Tests of what the node reports to the service manager.
@Suite struct ServiceManagerTests {
  @Test("Only a process that was started as a service has a manager")
  func recognition() {
    for environment in [[:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "run/notify"], ["WATCHDOG_USEC": "1000000"]] {
      #expect(ServiceManager(environment: environment, processID: 1) == nil, "\(environment)")
    }
    let long = "/" + String(repeating: "x", count: 107)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": long], processID: 1) == nil)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": String(long.dropLast())], processID: 1) != nil)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "@abstract"], processID: 1)?.signInterval == nil)
  }

  @Test(
    "A sign of life is due in half the watchdog's time, if it watches this process",
    arguments: [
      ("30000000", "1", 15_000), ("30000000", nil, 15_000), ("30000000", "2", nil), ("0", "1", nil), ("x", "1", nil),
      ("-5", nil, nil), ("1", nil, 1),
    ] as [(String, String?, Int?)])
  func watchdog(microseconds: String, process: String?, milliseconds: Int?) {
    var environment = ["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": microseconds]
    environment["WATCHDOG_PID"] = process
    let manager = ServiceManager(environment: environment, processID: 1)
    #expect(manager?.signInterval == milliseconds.map { Duration.milliseconds($0) })
  }

  @Test("What is told arrives as a datagram, and nobody at the other end is no harm", arguments: [false, true])
  func telling(isAbstract: Bool) async throws {
    try await TemporaryFolder.with { folder in
      let path = (isAbstract ? "@" : "") + folder + "/notify"
      let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": path], processID: 1))
      #expect(!manager.tell("READY=1"))
      let receiver = try Receiver(path)
      #expect(manager.tell("READY=1"))
      #expect(receiver.next() == "READY=1")
    }
  }

  /// The service manager's end.
  private final class Receiver {
    private let descriptor: Int32

    init(_ path: String) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var bytes = Array(path.utf8)
      if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
      let descriptor = descriptor
      let bound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      try #require(bound == 0)
    }

    func next() -> String {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    deinit { close(descriptor) }
  }
}
