import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// A reader of /proc, which remembers the facts of processes that have not changed
/// (Protocol/13-agent.md §8, §10).
struct ProcessLooker {
  /// The accounts to scan, with what is needed to recognize their programs.
  struct Wanted {
    var accounts: Set<UInt32>
    /// What the matchers in each account's orders need; accounts without an entry need nothing.
    var needs: [UInt32: RecognitionNeeds]
    var protected: Set<ProcessIdentity>
    /// Executables that must not be closed, by device and inode.
    var protectedFiles: Set<FilePlace>
    /// The paths of executables that must not be closed, if only the path can be read.
    var protectedPaths: Set<String> = []
    /// The log-in names of the accounts, as far as they are known.
    var names: [UInt32: String] = [:]
  }

  /// The device and inode of a file.
  struct FilePlace: Hashable {
    var device: UInt64
    var inode: UInt64

    init(_ status: stat) { (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
  }

  struct Known {
    var facts: ProcessFacts
    var file: FileMark?
    var mapsReadAt: BootInstant?
    var mapped: [ProcessFacts.Image] = []
    /// A Boolean value that indicates whether it has mapped code other than its executable and the
    /// system's libraries.
    var hasForeignCode = false
    var firstArguments: ArgumentReader.Arguments
    /// The files that those name by relative paths.
    var places: ScriptPlaces
    /// The files whose SHA-256 was not known yet when the images were read.
    var awaited: Set<FileMark> = []
    /// The folder in /proc that shows its program.
    var folder: String
    /// The place of its executable at the last check, and whether that was on the machine's disks.
    var place: ExecutablePlace
  }

  /// The arguments with which a process was first seen in a program; it can overwrite them later.
  struct FirstSeen {
    var place: [UInt64]?
    var arguments: ArgumentReader.Arguments
    /// The files that the arguments name by relative paths.
    var places = ScriptPlaces()

    /// Returns the arguments that count, with those that the process shows now.
    func shown(with present: ArgumentReader.Arguments) -> String {
      ([arguments.text] + places.paths + (present == arguments ? [] : [present.text])).joined(separator: " ")
    }
  }

  /// The path of an executable, and what distinguishes it from another program at the same path.
  struct ExecutablePlace {
    var path: String?
    var program: [UInt64]?
    var isOnKnownDevice: Bool
  }

  /// The longest time after which a process's maps are read again, in milliseconds.
  ///
  /// Those of a young process are read more often: a loader needs a moment to map its program.
  private static let mapsMilliseconds: Int64 = 60_000
  /// How often a process that changes while it is examined is examined again immediately.
  private static let mostTries = 8
  /// The substitute for the path of an executable that is too long for the kernel.
  private static let longPath = "/(a path that is too long)"
  var known: [ProcessIdentity: Known] = [:]
  var round: Round?
  /// When each process was first seen between two programs, if it has been seen in none since.
  var between: [ProcessIdentity: BootInstant] = [:]
  /// The real user of processes whose folder in /proc is root's, such as one that cannot be dumped.
  var hidden: [Int32: UInt32] = [:]
  var looks = 0
  var listedAtLook: Set<Int32> = []
  var hashes = HashCache()
  var files: PackageFiles
  var interpreters = InterpreterFiles()
  var subordinates: SubordinateUsers
  var devices = KnownDevices()
  var mounts = MountTable()
  var arguments = ArgumentReader()
  var firstSeen: [ProcessIdentity: FirstSeen] = [:]
  let ticks = UInt64(clamping: max(1, sysconf(Int32(_SC_CLK_TCK))))

  init(packageFolder: String = "/var/lib/dpkg/info", subordinateUsers: String = "/etc/subuid") {
    files = PackageFiles(folder: packageFolder)
    subordinates = SubordinateUsers(path: subordinateUsers)
    loadMounts()
  }

  /// Sets the packages and paths whose files, and the accounts whose programs, must be known;
  /// returns whether the files have changed.
  @discardableResult
  mutating func load(packages: Set<String>, paths: Set<String> = [], accounts: Set<UInt32> = []) -> Bool {
    subordinates.load(accounts)
    guard files.load(packages, paths: paths) else { return false }
    forgetImages()
    return true
  }

  /// Returns the arguments with which a process was first seen in its program, whatever it shows.
  private mutating func firstArguments(
    of process: ProcessIdentity, _ place: [UInt64]?, _ present: ArgumentReader.Arguments, _ path: String?,
    _ folder: String
  ) -> FirstSeen {
    if let first = firstSeen[process], first.place == place { return first }
    guard !present.text.isEmpty else { return FirstSeen(place: place, arguments: present) }
    var first = FirstSeen(place: place, arguments: copied(place, present, path) ?? present)
    first.places = ScriptPlaces(in: folder, of: path?.split(separator: "/").last ?? "", first.arguments)
    let named = first.arguments.afterFirst + first.arguments.later
    if place != nil, named.contains(where: ScriptInterpreters.isUnresolved) {
      // A copy may have left the folder in which its original was started.
      first.places = first.places.union(
        firstSeen.values.first { $0.place == place && $0.arguments == first.arguments }?.places)
    }
    firstSeen[process] = first
    return first
  }

  /// Returns the arguments of the interpreter that a process is a copy of; `nil` if it is not a
  /// copy, or if the original ran a script of the system.
  ///
  /// A copy may show other arguments than its original. `place` and `present` are the copy's.
  private func copied(
    _ place: [UInt64]?, _ present: ArgumentReader.Arguments, _ path: String?
  ) -> ArgumentReader.Arguments? {
    guard let place, let name = path?.split(separator: "/").last,
      ScriptInterpreters.contains(name) || ScriptInterpreters.isLoader(name)
    else { return nil }
    // Each start of a program has a different place in memory.
    let original = firstSeen.values.first { $0.place == place && $0.arguments != present }?.arguments
    return original.flatMap {
      ScriptInterpreters.script(in: $0.afterFirst, of: name).map(ScriptInterpreters.isOfSystem) == true ? nil : $0
    }
  }

  /// Forgets all images, since other matchers may need more of them.
  mutating func forgetImages() { known = [:] }

  /// Reads which file systems are mounted.
  mutating func loadMounts() {
    devices.load()
    guard mounts.load() else { return }
    // A device number may now belong to a different disk.
    hashes.forget { !mounts.isOwn($0.device) }
  }

  /// Returns the facts of a process in which a program has just started, and whether they are new;
  /// `nil` if it belongs to none of the accounts.
  mutating func lookAtStart(
    of pid: Int32, _ wanted: Wanted, _ now: BootInstant
  ) -> (facts: ProcessFacts, isNews: Bool)? {
    // With another program, the process may have another user and be on another file system.
    hidden[pid] = nil
    return look(at: pid, wanted, now, hasStarted: true)
  }

  func isBetweenPrograms(_ pid: Int32) -> Bool { !between.isEmpty && between.keys.contains { $0.processID == pid } }

  /// Returns the facts of a process, and whether they are new; `nil` if it is in no wanted account.
  ///
  /// `hasStarted` indicates that it has begun another program since it was last examined. `tries`
  /// is how often it is examined again if it changes meanwhile.
  mutating func look(
    at pid: Int32, _ wanted: Wanted, _ now: BootInstant, hasStarted: Bool = false, tries: Int = ProcessLooker.mostTries
  ) -> (facts: ProcessFacts, isNews: Bool)? {
    guard let user = account(of: pid, wanted), let line = ProcessStatLine(pid: pid), !line.hasEnded, !line.isKernel
    else { return nil }
    let identity = ProcessIdentity(processID: pid, startTime: line.startTime)
    let last = self.known[identity]
    let shown =
      line.livesInThreads ? Self.livingThread(of: pid, in: "/proc/\(pid)/task", last: last?.folder) : "/proc/\(pid)"
    guard let folder = shown else { return nil }
    let executable = ProcFile.executable(in: folder)
    let path: String? =
      switch executable {
      case .path(let path): path
      case .longPath: Self.longPath
      case .none: nil
      }
    let (place, status) = place(executable, line, folder, hasStarted ? nil : last?.place)
    let mark = status.map(FileMark.init)
    // A process that ends while it is examined no longer has an executable. That it cannot be read
    // does not make it an unknown program. If only its first thread has ended, the other threads
    // are examined.
    if path != nil, status == nil, ProcFile.executable(in: folder) == .none {
      return tries < Self.mostTries ? nil : look(at: pid, wanted, now, hasStarted: hasStarted, tries: tries - 1)
    }
    if status.map({ mounts.mayChange(UInt64($0.st_dev)) }) ?? mounts.hasChanged { loadMounts() }
    let program = path.flatMap { path in
      status.map { ProgramPlace(path: path, status: $0, mounts) { MountNamespace.isOther(in: folder) } }
    }
    let needs = wanted.needs[user] ?? []
    let executableName = path?.split(separator: "/").last ?? ""
    let tellsScript = ScriptInterpreters.tellsScript(executableName) || ScriptInterpreters.isLoader(executableName)
    var arguments = ArgumentReader.Arguments()
    if needs.contains(.arguments) || tellsScript && needs.contains(.scripts) {
      arguments = self.arguments.read(folder, of: executableName)
    }
    if needs.contains(.arguments), let path, JavaCommand.isShown(by: path), let name = wanted.names[user],
      let command = JavaCommand.read(of: pid, user, named: name)
    {
      arguments.text += " " + command
    }
    var known = last.flatMap { known in
      known.file == mark && known.facts.images.first?.path == path.map(ProgramPlace.cleaned) ? known : nil
    }
    let before = known?.facts
    let isRenewed = known?.awaited.contains { !hashes.isWaiting($0) } == true
    _ = hashes.takePostponed()
    if known == nil {
      let first = firstArguments(of: identity, line.programPlace, arguments, path, folder)
      var facts = facts(identity, user, line, path, program, folder, first.arguments, wanted)
      facts.arguments = first.shown(with: arguments)
      facts.hasMoreArguments = facts.hasMoreArguments || first.places.isCut
      (facts.scriptPlace, facts.certainScript) = Self.scripts(first.places, in: folder)
      known = Known(
        facts: facts, file: mark, firstArguments: first.arguments, places: first.places, folder: folder, place: place)
      // If the process has begun another program meanwhile, the facts may mix both programs, or
      // describe one that is not mapped yet.
      switch known?.facts.isFromWritablePlace == true ? Self.move(of: pid, from: line, executable, folder) : nil {
      case .betweenPrograms:
        // A child can build such a program. It gains at most one second by that.
        if isLeftForLater(identity, now) {
          if last != nil { round?.present.insert(identity) }
          return nil
        }
      case .anotherProgram where tries > 0: return look(at: pid, wanted, now, hasStarted: hasStarted, tries: tries - 1)
      case .anotherProgram, .none: between[identity] = nil
      }
    }
    guard var seen = known else { return nil }
    if isRenewed {
      seen.facts.images = facts(identity, user, line, path, program, folder, arguments, wanted).images
      (seen.mapsReadAt, seen.awaited) = (nil, [])
    }
    if before != nil {
      // In the middle of an exec, the program is visible before its arguments.
      if seen.firstArguments.text.isEmpty {
        let first = firstArguments(of: identity, line.programPlace, arguments, path, folder)
        (seen.firstArguments, seen.places) = (first.arguments, first.places)
        (seen.facts.scriptPlace, seen.facts.certainScript) = Self.scripts(first.places, in: folder)
      }
      seen.facts.script = Self.script(path, seen.firstArguments, seen.facts.startedAt, now, in: folder)
      // The arguments from the first sighting count as well, whatever the process shows now.
      let first = FirstSeen(place: line.programPlace, arguments: seen.firstArguments, places: seen.places)
      seen.facts.arguments = first.shown(with: arguments)
      seen.facts.hasMoreArguments = arguments.isCut || seen.firstArguments.isCut || seen.places.isCut
      seen.facts.name = line.name
      seen.facts.programPlace = line.programPlace ?? seen.facts.programPlace
      seen.facts.isProtected = isProtected(identity, program, wanted)
      // Maps are read in a later scan, since a loader needs a moment to map its program.
      let pause = min((now - seen.facts.startedAt) / 2, Self.mapsMilliseconds)
      if seen.mapsReadAt.map({ now - $0 >= pause }) ?? true {
        let (mapped, isFromWritablePlace, hasChildsCode) = mapped(folder, user, wanted)
        seen.facts.hasChildsCode = hasChildsCode && !seen.facts.hasWritableExecutable
        if !seen.facts.isFromTerminal, Self.isConnectedToTerminal(folder) { seen.facts.isFromTerminal = true }
        seen.mapped = mapped
        seen.mapsReadAt = now
        seen.facts.images = Array(seen.facts.images.prefix(path == nil ? 0 : 1)) + mapped
        if program?.isLoader == true, isFromWritablePlace { seen.facts.isFromWritablePlace = true }
        let own = seen.facts.images.first?.path
        seen.hasForeignCode = mapped.contains { $0.path != own && !$0.path.hasPrefix("/memfd:") }
      }
    }
    // A needed program with injected code (`LD_PRELOAD`) is no longer protected.
    if seen.hasForeignCode, !isOfLatchkey(identity, program, wanted) { seen.facts.isProtected = false }
    seen.awaited.formUnion(hashes.takePostponed())
    (seen.folder, seen.place) = (folder, place)
    self.known[identity] = seen
    round?.present.insert(identity)
    return (seen.facts, before != seen.facts)
  }

  /// Returns whether an executable is on the machine's own file systems, and its file's status.
  ///
  /// For most files, the kernel knows this already. The others are checked once for each program
  /// that a process runs, since that may read megabytes.
  private func place(
    _ executable: ProcFile.Executable, _ line: ProcessStatLine, _ folder: String, _ last: ExecutablePlace?
  ) -> (ExecutablePlace, stat?) {
    let file = "\(folder)/exe"
    guard case .path(let path) = executable else {
      let isThere = executable == .longPath
      return (
        ExecutablePlace(path: isThere ? Self.longPath : nil, program: line.programPlace, isOnKnownDevice: !isThere), nil
      )
    }
    if let status = ProcFile.knownStatus(file), devices.isLocal(status) {
      return (ExecutablePlace(path: path, program: line.programPlace, isOnKnownDevice: true), status)
    }
    let isSame = last?.program != nil && last?.program == line.programPlace && last?.path == path
    let isOnKnownDevice = isSame ? last?.isOnKnownDevice == true : devices.holdsExecutable(path, of: folder)
    let place = ExecutablePlace(path: path, program: line.programPlace, isOnKnownDevice: isOnKnownDevice)
    return (place, isOnKnownDevice ? ProcFile.status(file) : nil)
  }
}
