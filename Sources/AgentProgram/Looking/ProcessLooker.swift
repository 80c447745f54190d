import Glibc
import LatchkeyAgent
import LatchkeyAgentProtocol
import LatchkeyModel

/// The reader of /proc, which remembers what it has read of processes that have not changed.
///
/// Spec: Protocol/13-agent.md §8, §10.
struct ProcessLooker {
  /// What recognizing an account's programs needs.
  struct Wanted {
    /// The accounts whose programs are looked at.
    var accounts: Set<UInt32>
    /// The accounts for which the SHA-256 of files is needed.
    var hashed: Set<UInt32>
    /// The processes that must not be closed.
    var protected: Set<ProcessIdentity>
    /// Executables that must not be closed, by device and inode.
    var protectedFiles: Set<FilePlace>
  }

  /// The device and inode of a file.
  struct FilePlace: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  private struct Known {
    var facts: ProcessFacts
    var file: FileMark?
    var mapsReadAt: BootInstant?
    var mapped: [ProcessFacts.Image] = []
    /// A Boolean value that indicates whether it runs code of files that are neither its own nor the system's libraries.
    var hasForeignCode = false
    var firstArguments: ArgumentReader.Arguments
    /// The files whose SHA-256 was not known yet when its images were looked at.
    var awaited: Set<FileMark> = []
  }

  /// The longest time after which a process's maps are read again, in milliseconds.
  ///
  /// Those of a young one are read more often: a loader has not mapped its program at once.
  private static let mapsMilliseconds: Int64 = 60_000
  /// The time after which a look at many processes turns to new ones, in milliseconds.
  private static let newMilliseconds: Int64 = 250
  private var known: [ProcessIdentity: Known] = [:]
  /// The real user of each process whose folder in /proc is root's, as that of one that cannot be dumped.
  var hidden: [Int32: UInt32] = [:]
  private var looks = 0
  /// The numbers of all processes that were there at the last look at all.
  private var listedAtLook: Set<Int32> = []
  var hashes = HashCache()
  var files: PackageFiles
  var subordinates: SubordinateUsers
  var devices = KnownDevices()
  private var arguments = ArgumentReader()
  let ticks = UInt64(clamping: max(1, sysconf(Int32(_SC_CLK_TCK))))

  init(packageFolder: String = "/var/lib/dpkg/info", subordinateUsers: String = "/etc/subuid") {
    files = PackageFiles(folder: packageFolder)
    subordinates = SubordinateUsers(path: subordinateUsers)
  }

  /// Takes over which packages' files and which programs' copies have to be known, and the accounts of which programs are
  /// looked at.
  mutating func load(packages: Set<String>, paths: Set<String> = [], accounts: Set<UInt32> = []) {
    if files.load(packages, paths: paths) { forgetImages() }
    subordinates.load(accounts)
  }

  /// Forgets what it knows of images, since other matchers may need more of them.
  mutating func forgetImages() { known = [:] }

  /// Looks at all processes: calls `see` for each of the accounts' that is new or has changed, and returns all that are there.
  ///
  /// Those that are new come first, also those that appear meanwhile: they may have to be closed, and the others take time.
  mutating func look(
    _ wanted: Wanted, at now: BootInstant, see: (ProcessFacts) -> Void
  ) -> Set<ProcessIdentity> {
    looks += 1
    devices.load()
    arguments.begin()
    if looks % 10 == 0 { hidden = [:] }
    var present: Set<ProcessIdentity> = []
    guard !wanted.accounts.isEmpty else { return [] }
    var listed = Set(known.keys.map(\.processID))
    func look(_ pids: some Sequence<Int32>) {
      for pid in pids {
        guard let (facts, isNews) = self.look(at: pid, wanted, now) else { continue }
        present.insert(facts.identity)
        // At once: what comes after it may take long to read.
        if isNews { see(facts) }
      }
    }
    let all = ProcFile.processes()
    var old = all.filter { listed.contains($0) }[...]
    look(all.filter { listed.insert($0).inserted })
    var turned = BootClock.now()
    while !old.isEmpty {
      look(old.prefix(64))
      old = old.dropFirst(64)
      guard BootClock.now() - turned >= Self.newMilliseconds else { continue }
      look(ProcFile.processes().filter { listed.insert($0).inserted })
      turned = BootClock.now()
    }
    listedAtLook = Set(all)
    known = known.filter { present.contains($0.key) }
    return present
  }

  /// Looks at the processes that are new since the last look at all, which costs little beside many others.
  mutating func lookAtNew(_ wanted: Wanted, at now: BootInstant, see: (ProcessFacts) -> Void) {
    guard !wanted.accounts.isEmpty else { return }
    for pid in ProcFile.processes() where !listedAtLook.contains(pid) {
      if let (facts, isNews) = look(at: pid, wanted, now), isNews { see(facts) }
    }
  }

  /// Looks again at the processes that have files of which the SHA-256 is known now, or cannot be known.
  mutating func look(
    atThoseWith files: Set<FileMark>, _ wanted: Wanted, at now: BootInstant, see: (ProcessFacts) -> Void
  ) {
    for process in known.filter({ !$0.value.awaited.isDisjoint(with: files) }).keys {
      if let (facts, isNews) = look(at: process.processID, wanted, now), isNews { see(facts) }
    }
  }

  /// Returns the facts of a process in which a program has just started, and whether they are news; `nil` if it is none of
  /// the accounts'.
  mutating func lookAtStart(
    of pid: Int32, _ wanted: Wanted, _ now: BootInstant
  ) -> (facts: ProcessFacts, isNews: Bool)? {
    // With another program it may have another user.
    hidden[pid] = nil
    return look(at: pid, wanted, now)
  }

  /// Returns the facts of one process, and whether they are news; `nil` if it is none of the accounts'.
  mutating func look(
    at pid: Int32, _ wanted: Wanted, _ now: BootInstant
  ) -> (facts: ProcessFacts, isNews: Bool)? {
    guard let user = account(of: pid, wanted), let line = ProcessStatLine(pid: pid), !line.hasEnded, !line.isKernel,
      let folder = line.livesInThreads ? Self.livingThread(of: pid) : "/proc/\(pid)"
    else { return nil }
    let identity = ProcessIdentity(processID: pid, startTime: line.startTime)
    let path = ProcFile.link("\(folder)/exe")
    let isOnKnownDevice = path.map { devices.holdsExecutable($0, of: folder) } ?? true
    let status = isOnKnownDevice ? ProcFile.status("\(folder)/exe") : nil
    let mark = status.map(FileMark.init)
    let program = path.flatMap { path in status.map { ProgramPlace(path: path, status: $0) } }
    let arguments = self.arguments.read(folder)
    var known = known[identity].flatMap { known in
      known.file == mark && known.facts.images.first?.path == path.map(ProgramPlace.cleaned) ? known : nil
    }
    let before = known?.facts
    let isRenewed = known?.awaited.contains { !hashes.isWaiting($0) } == true
    _ = hashes.takePostponed()
    if known == nil {
      known = Known(
        facts: facts(identity, user, line, path, program, folder, arguments, wanted), file: mark,
        firstArguments: arguments)
    }
    guard var seen = known else { return nil }
    if isRenewed {
      seen.facts.images = facts(identity, user, line, path, program, folder, arguments, wanted).images
      (seen.mapsReadAt, seen.awaited) = (nil, [])
    }
    if before != nil {
      // In the middle of an exec, the program is there before its arguments.
      if seen.firstArguments.text.isEmpty { seen.firstArguments = arguments }
      // What it was called when it was first seen counts as well, whatever it calls itself since.
      seen.facts.arguments =
        arguments == seen.firstArguments ? seen.firstArguments.text : seen.firstArguments.text + " " + arguments.text
      seen.facts.hasMoreArguments = arguments.isCut || seen.firstArguments.isCut
      seen.facts.name = line.name
      seen.facts.isProtected = isProtected(identity, program, wanted)
      // Maps are read with a later look: a loader needs a moment before its program is there.
      let pause = min((now - seen.facts.startedAt) / 2, Self.mapsMilliseconds)
      if seen.mapsReadAt.map({ now - $0 >= pause }) ?? true {
        let (mapped, isFromWritablePlace) = mapped(folder, user, wanted)
        seen.mapped = mapped
        seen.mapsReadAt = now
        seen.facts.images = Array(seen.facts.images.prefix(path == nil ? 0 : 1)) + mapped
        if program?.isLoader == true, isFromWritablePlace { seen.facts.isFromWritablePlace = true }
        let own = seen.facts.images.first?.path
        seen.hasForeignCode = mapped.contains { $0.path != own && !$0.path.hasPrefix("/memfd:") }
      }
    }
    // What was given other code (LD_PRELOAD) is not the program any more that the system needs.
    if seen.hasForeignCode, !isOfLatchkey(identity, program, wanted) { seen.facts.isProtected = false }
    seen.awaited.formUnion(hashes.takePostponed())
    self.known[identity] = seen
    return (seen.facts, before != seen.facts)
  }
}
