import Foundation
import Glibc
import LatchkeyAgent
import LatchkeyAgentProtocol
import Testing

extension ProcessTests {
  /// Programs of an account that block whoever reads their files in /proc, before root's agent.
  @Suite(
    .enabled(if: geteuid() == 0, "only root looks at others' programs; run Tools/test by sudo"),
    .enabled(if: Cage.isPossible, "control groups of the second version cannot be mounted here"),
    .enabled(if: access("/dev/fuse", F_OK) == 0, "this kernel has no FUSE"))
  struct UnreadableAsRoot {
    /// Serves a file that is never read to an end, has processes of a user wait for it in an exec, and says so.
    private static let server = """
      import ctypes, os, struct, sys, tempfile
      user, count = int(sys.argv[1]), int(sys.argv[2])
      libc = ctypes.CDLL(None, use_errno=True)
      assert libc.unshare(0x20000) == 0
      libc.mount(None, b"/", None, 0x4000 | 0x40000, None)
      place = tempfile.mkdtemp().encode()
      fuse = os.open("/dev/fuse", os.O_RDWR)
      options = b"fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other" % (fuse, user, user)
      assert libc.mount(b"fuse", place, b"fuse", 6, options) == 0, ctypes.get_errno()
      def attributes(inode):
          mode, size = (0o40755, 0) if inode == 1 else (0o100755, 1 << 20)
          return struct.pack("<QQQQQQIIIIIIIIII", inode, size, 8, 0, 0, 0, 0, 0, 0, mode, 1, user, user, 0, 4096, 0)
      def wait():
          os.close(fuse)
          os.setgid(user); os.setuid(user)
          file = os.open(place + b"/f", os.O_RDONLY | os.O_DIRECT)
          context = ctypes.c_ulong(0)
          assert libc.syscall(206, 8, ctypes.byref(context)) == 0
          buffer = ctypes.create_string_buffer(8192)
          start = (ctypes.addressof(buffer) + 4095) // 4096 * 4096
          block = ctypes.create_string_buffer(struct.pack("<QIIHhIQQqQII", 0, 0, 0, 0, 0, file, start, 4096, 0, 0, 0, 0))
          blocks = (ctypes.c_void_p * 1)(ctypes.addressof(block))
          assert libc.syscall(209, context, 1, blocks) == 1
          os.execv("/bin/sleep", ["sleep", "600"])
      for _ in range(count):
          if os.fork() == 0: wait()
      waiting = 0
      while True:
          request = os.read(fuse, 1 << 20)
          kind, number, inode = struct.unpack_from("<IQQ", request, 4)
          answer, fault = b"", 0
          if kind == 26:
              ahead, flags = struct.unpack_from("<II", request, 48)
              answer = struct.pack("<IIIIHHIIHHI", 7, 31, ahead, flags & 0x8001, 16, 16, 4096, 1, 0, 0, 0) + bytes(24)
          elif kind == 1: answer = struct.pack("<QQQQII", 2, 0, 1000, 1000, 0, 0) + attributes(2)
          elif kind == 3: answer = struct.pack("<QII", 1000, 0, 0) + attributes(inode)
          elif kind in (14, 27): answer = struct.pack("<QII", 1, 0, 0)
          elif kind == 15:
              waiting += 1
              if waiting == count: print("waiting", flush=True)
              continue
          elif kind in (2, 42, 36): continue
          elif kind not in (18, 25): fault = -38
          os.write(fuse, struct.pack("<IiQ", 16 + len(answer), fault, number) + answer)
      """

    @Test("One is left out and killed, and a blocked game is killed all the same")
    func blocked() async throws {
      try await withServer(of: 1) { cage, agent, _ in
        try await cage.hear(agent, "the parent is told") {
          if case .unreadable(cage.child, 1) = $0 { true } else { false }
        }
        for _ in 0..<3 {
          let game = try cage.play(["60"])
          #expect(await game.wait() == .signalled(SIGKILL))
        }
      }
    }

    @Test("With several, everything of the account is killed until they have ended, and nothing afterwards")
    func blinding() async throws {
      try await withServer(of: 4) { cage, agent, server in
        let other = try cage.run(["/bin/sleep", "600"])
        #expect(await other.wait() == .signalled(SIGKILL))
        try await cage.hear(agent, "the parent is told of all") {
          if case .unreadable(cage.child, 4) = $0 { true } else { false }
        }
        server.signal(SIGKILL)
        _ = await server.wait()
        try await eventually("a program goes on") {
          let other = try cage.run(["/bin/sleep", "7"])
          return await other.wait() == .exited(0)
        }
      }
    }

    /// Runs a test with an agent whose orders block the game, while a server has so many processes of the child's wait.
    private func withServer(of count: Int, _ body: (Cage, Cage.Agent, SpawnedProcess) async throws -> Void) async throws
    {
      try await ProcessLab.run(asRoot: true) { lab in
        let cage = try Cage(lab)
        defer { cage.remove() }
        let agent = try await cage.agent()
        try cage.order(agent, 1, closesAt: BootClock.now(), step: .close)
        try await cage.hear(agent, "the orders hold") { if case .inForce(1) = $0 { true } else { false } }
        let output = lab.newPath() + ".out"
        let server = try lab.spawn(
          "python3", ["-c", Self.server, "\(cage.child)", "\(count)"], output: output, talk: output + ".err")
        try await eventually("they wait") {
          guard server.isRunning else { throw LabFault("the server ended: \(ProcessLab.read(output + ".err"))") }
          return ProcessLab.read(output) == "waiting\n"
        }
        try await body(cage, agent, server)
      }
    }
  }
}
