import Testing

extension ProcessTests {
  /// The exit status of the log-in gate, from which PAM knows that nobody may log in:
  /// Protocol/13-agent.md §13.
  @Suite struct LoginGateStatusTests {
    /// What PAM does in a program that collects the ends of its children at once, as `atd` does, on
    /// a busy machine.
    private static let parent = """
      import os, signal, socket, sys, threading, time
      program, path = sys.argv[1:]
      server = socket.socket(socket.AF_UNIX)
      server.bind(path)
      server.listen()
      def answer():
          connection = server.accept()[0]
          connection.recv(64)
          connection.sendall(b"LG\\0\\1\\0\\0\\7bedtime")
          connection.close()
      threading.Thread(target=answer, daemon=True).start()
      def collect(*_):
          try:
              while os.waitpid(-1, os.WNOHANG)[0]: pass
          except ChildProcessError: pass
      signal.signal(signal.SIGCHLD, collect)
      reading, writing = os.pipe()
      gate = os.posix_spawn(program, [program, "gate", "--socket", path, "--orders", path + ".orders"],
                            dict(os.environ, PAM_USER="nobody"),
                            file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1), (os.POSIX_SPAWN_DUP2, writing, 2)])
      os.close(writing)
      said = b"".join(iter(lambda: os.read(reading, 4096), b"")).decode()
      # The gate has ended by then, unless it waits for this process to wait for it.
      time.sleep(0.05)
      try: print(os.waitpid(gate, 0)[1], said, end="")
      except ChildProcessError: print("nobody has the status", said, end="")
      """

    @Test("A refusal reaches PAM also in a program that collects its children in a signal handler")
    func collected() async throws {
      try await ProcessLab.run { lab in
        let result = try await lab.run(
          "/usr/bin/python3", ["-c", Self.parent, BuiltProgram.path(of: "latchkey-agent"), lab.newPath()])
        #expect(result.status == 0 && result.output == "0 Bedtime.\n", "\(result)")
      }
    }
  }
}
