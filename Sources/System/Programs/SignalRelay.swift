import Dispatch
import Glibc
import Synchronization

/// The relay that forwards signals of this process to the programs in its foreground.
///
/// The programs share this process group, so signals from the terminal (Ctrl-C, Ctrl-\, Ctrl-Z, a
/// changed window) have reached them already. Such signals have a positive `si_code` and are not
/// forwarded. A signal that another process sent is forwarded, since it may have been sent to this
/// process alone. A signal that was ignored when the first program started stays ignored, by this
/// process and by the programs, as with nohup.
final class SignalRelay: Sendable {
  static let shared = SignalRelay()

  private static let relayed = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP]

  private struct State: ~Copyable {
    var children: [ObjectIdentifier: ChildProcess] = [:]
    /// The previous signal actions, which are restored after the last child.
    var before: [Int32: sigaction] = [:]
    var reading: Int32 = -1
    var source: (any DispatchSourceRead)?
  }

  private let state = Mutex(State())

  /// Starts a child, to which signals that arrive during the start are forwarded as well.
  ///
  /// The lock is held during the start, so that the relay waits until the child is known.
  func start(_ spawn: () throws(ProgramStartError) -> ChildProcess) throws(ProgramStartError) -> ChildProcess {
    try state.withLock { state throws(ProgramStartError) in
      try listen(&state)
      do throws(ProgramStartError) {
        let child = try spawn()
        state.children[ObjectIdentifier(child)] = child
        return child
      } catch {
        if state.children.isEmpty { restore(&state) }
        throw error
      }
    }
  }

  /// Removes a child that has ended; after the last one, the earlier signal actions are restored.
  func forget(_ child: ChildProcess) {
    state.withLock { state in
      state.children[ObjectIdentifier(child)] = nil
      if state.children.isEmpty { restore(&state) }
    }
  }

  private func listen(_ state: inout State) throws(ProgramStartError) {
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
      // Only an explicit choice to ignore a signal counts, not a default action that does nothing.
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

  /// Passes on the signals that have arrived, on the source's queue.
  private func relay() {
    let (children, descriptor) = state.withLock { (Array($0.children.values), $0.reading) }
    var letter: UInt16 = 0
    while read(descriptor, &letter, 2) == 2 {
      let (number, isFromTerminal) = SignalMailbox.open(letter)
      if !isFromTerminal { for child in children { child.send(signal: number) } }
      // The handler has replaced the default of SIGTSTP, and the shell waits for a stop.
      if number == SIGTSTP { kill(getpid(), SIGSTOP) }
    }
  }
}

/// The signal handler, which only writes two bytes into a pipe, and that pipe.
enum SignalMailbox {
  /// The pipe's writing end, or -1.
  ///
  /// It is set before the first handler is installed, which must not initialize it.
  static let descriptor = Atomic<Int32>(-1)

  /// The signal handler.
  ///
  /// It allocates nothing and takes no lock. If the pipe is full, the signal is dropped, as the
  /// kernel merges pending signals.
  static let post: @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
    number, information, _ in
    let before = errno
    let fromKernel: UInt16 = (information?.pointee.si_code ?? 0) > 0 ? 0x100 : 0
    var letter = UInt16(truncatingIfNeeded: number & 0xFF) | fromKernel
    _ = write(SignalMailbox.descriptor.load(ordering: .acquiring), &letter, 2)
    errno = before
  }

  /// Returns a signal's number, and whether the kernel sent it for the terminal.
  static func open(_ letter: UInt16) -> (number: Int32, isFromTerminal: Bool) {
    (Int32(letter & 0xFF), letter & 0x100 != 0)
  }
}
