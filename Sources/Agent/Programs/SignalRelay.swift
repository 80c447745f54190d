import Dispatch
import Glibc
import Synchronization

/// Passes signals that this process is sent on to the programs it runs in its foreground.
///
/// The programs share our process group, so what a terminal sends (Ctrl-C, Ctrl-\, Ctrl-Z, a changed window) has reached
/// them already; it bears the kernel's mark and is not sent a second time. What another process sends reached us alone.
/// A signal that was ignored when we were started stays ignored, by us and by the program, as under nohup.
final class SignalRelay: Sendable {
  static let shared = SignalRelay()

  private static let relayed = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP,
  ]

  private struct State: ~Copyable {
    var children: [ObjectIdentifier: ChildProcess] = [:]
    /// What was in force before, to be put back after the last child.
    var before: [Int32: sigaction] = [:]
    var reading: Int32 = -1
    var source: (any DispatchSourceRead)?
  }

  private let state = Mutex(State())

  /// Start a child so that no signal falls between its start and its being known here.
  func start(
    _ spawn: () throws(TrackedProgramError) -> ChildProcess
  ) throws(TrackedProgramError) -> ChildProcess {
    try state.withLock { state throws(TrackedProgramError) in
      try listen(&state)
      do throws(TrackedProgramError) {
        let child = try spawn()
        state.children[ObjectIdentifier(child)] = child
        return child
      } catch {
        if state.children.isEmpty { restore(&state) }
        throw error
      }
    }
  }

  /// Forget a child that has ended; after the last one, signals do again what they did before.
  func forget(_ child: ChildProcess) {
    state.withLock { state in
      state.children[ObjectIdentifier(child)] = nil
      if state.children.isEmpty { restore(&state) }
    }
  }

  private func listen(_ state: inout State) throws(TrackedProgramError) {
    if state.source == nil {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw .system(call: "pipe", errno: errno) }
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      let source = DispatchSource.makeReadSource(
        fileDescriptor: ends[0], queue: DispatchQueue(label: "latchkey.signals"))
      source.setEventHandler { [self] in relay() }
      source.activate()
      state.reading = ends[0]
      state.source = source
      SignalMailbox.descriptor.store(ends[1], ordering: .releasing)
    }
    guard state.before.isEmpty else { return }
    for number in Self.relayed {
      var before = sigaction()
      sigaction(number, nil, &before)
      // SIGWINCH and SIGCONT are let pass where nobody chose anything, so all that counts is a choice to ignore.
      if unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        continue
      }
      var action = sigaction()
      action.__sigaction_handler.sa_sigaction = SignalMailbox.post
      action.sa_flags = SA_SIGINFO | SA_RESTART
      sigemptyset(&action.sa_mask)
      sigaction(number, &action, nil)
      state.before[number] = before
    }
  }

  private func restore(_ state: inout State) {
    for (number, action) in state.before {
      var action = action
      sigaction(number, &action, nil)
    }
    state.before = [:]
  }

  /// Called on the source's queue when letters have arrived.
  private func relay() {
    let (children, descriptor) = state.withLock { (Array($0.children.values), $0.reading) }
    var letter: UInt16 = 0
    while read(descriptor, &letter, 2) == 2 {
      let (number, isFromTerminal) = SignalMailbox.open(letter)
      if !isFromTerminal {
        for child in children { child.send(signal: number) }
      }
      // We took the signal that stops the whole group, and must stop with it, or the shell would go on waiting for us.
      if number == SIGTSTP { kill(getpid(), SIGSTOP) }
    }
  }
}
