import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// Reading the facts of one process (Protocol/13-agent.md §8).
extension ProcessLooker {
  /// The most mapped files of a process that are examined, and that are recognized by their place.
  private static let mostMapped = 64
  /// The longest time between two programs, in milliseconds, and the most processes in it.
  private static let betweenMilliseconds: Int64 = 1_000
  static let mostBetween = 4_096

  /// Returns the account of a process; `nil` if its account is not among those that are scanned.
  mutating func account(of pid: Int32, _ wanted: Wanted) -> UInt32? {
    guard let user = ProcFile.status("/proc/\(pid)")?.st_uid else { return nil }
    if wanted.accounts.contains(user) { return user }
    // The folder of a process that cannot be dumped, or runs with more rights, belongs to root.
    guard let real = user == 0 ? realUser(of: pid) : user else { return nil }
    if wanted.accounts.contains(real) { return real }
    return subordinates.account(of: real).flatMap { wanted.accounts.contains($0) ? $0 : nil }
  }

  private mutating func realUser(of pid: Int32) -> UInt32? {
    if let known = hidden[pid] { return known }
    let user = RunningProcess.realUser(of: pid)
    if let user { hidden[pid] = user }
    return user
  }

  /// Returns the folder of a living thread of a process whose first thread has ended; `nil` if
  /// there is none.
  ///
  /// All threads are examined, since ended threads remain until their tracer collects them. `last`
  /// is the folder that the previous call returned for the process.
  static func livingThread(of pid: Int32, in tasks: String, last: String?) -> String? {
    if let last, last.hasPrefix(tasks), ProcFile.executable(in: last) != .none { return last }
    let others = (ProcFile.names(in: tasks) ?? []).lazy.filter { $0 != String(pid) && Int32($0) != nil }
    return others.map { "\(tasks)/\($0)" }.first { ProcFile.executable(in: $0) != .none }
  }

  /// A change of a process's program while it was examined.
  enum Move { case anotherProgram, betweenPrograms }

  /// Returns how a process's program has changed since it was examined; `nil` if it has not.
  static func move(
    of pid: Int32, from line: ProcessStatLine, _ executable: ProcFile.Executable, _ folder: String
  ) -> Move? {
    // If the first thread has ended, the line does not show the program.
    if line.livesInThreads { return nil }
    guard let present = ProcessStatLine(pid: pid), !present.isBetweenPrograms else { return .betweenPrograms }
    return present.programPlace == line.programPlace && ProcFile.executable(in: folder) == executable
      ? nil : .anotherProgram
  }

  /// Returns whether a process that seems to be between two programs is examined later.
  ///
  /// Beyond the limit, further processes are not.
  mutating func isLeftForLater(_ process: ProcessIdentity, _ now: BootInstant) -> Bool {
    if let since = between[process] { return now - since < Self.betweenMilliseconds }
    guard between.count < Self.mostBetween else { return false }
    between[process] = now
    return true
  }

  /// Returns the facts of a process that was not seen before, without its mapped files.
  ///
  /// `path` is the executable's path.
  mutating func facts(
    _ identity: ProcessIdentity, _ user: UInt32, _ line: ProcessStatLine, _ path: String?, _ program: ProgramPlace?,
    _ folder: String, _ arguments: ArgumentReader.Arguments, _ wanted: Wanted
  ) -> ProcessFacts {
    let started = BootInstant(
      milliseconds: Int64(clamping: line.startTime / ticks * 1_000 + line.startTime % ticks * 1_000 / ticks))
    let needs = wanted.needs[user] ?? []
    let flatpak =
      needs.contains(.flatpaks)
      ? path.flatMap { FlatpakPlace(path: $0, program, folder: folder, devices, mounts) } : nil
    // The first image is the executable, even if only its path can be known.
    let place = path.map { ProcessFacts.Image(path: ProgramPlace.cleaned($0), isHidden: true) }
    let isWritable = program?.isWritable { isOwn($0, of: user) || wanted.accounts.contains($0) } ?? (place != nil)
    let isHashed = needs.contains(.hashes) || isWritable && needs.contains(.ownHashes)
    let images =
      program.map { [image($0, at: "\(folder)/exe", of: user, isHashed: isHashed)] } ?? place.map { [$0] } ?? []
    return ProcessFacts(
      identity: identity, parent: line.parent, account: user, startedAt: started, name: line.name,
      arguments: arguments.text, hasMoreArguments: arguments.isCut,
      script: Self.script(path, arguments, started, BootClock.now(), in: folder), images: images, flatpak: flatpak?.id,
      isGenuineFlatpak: flatpak?.isGenuine ?? false, isFromWritablePlace: isWritable, hasWritableExecutable: isWritable,
      isFromTerminal: line.isInTerminalWindow, programPlace: line.programPlace,
      isProtected: isProtected(identity, program, wanted)
        || program == nil && place.map { wanted.protectedPaths.contains($0.path) } == true)
  }

  /// Returns the script that an interpreter runs; `nil` if it runs none.
  ///
  /// For a process in its own mounts, the script is `elsewhere`, since any path may lead to any
  /// file there. In the middle of an exec, the program is visible before its arguments. For a
  /// moment, an interpreter without arguments therefore counts as one that runs a script of the
  /// system.
  static func script(
    _ path: String?, _ arguments: ArgumentReader.Arguments, _ started: BootInstant, _ now: BootInstant,
    in folder: String
  ) -> String? {
    guard let name = path?.split(separator: "/").last else { return nil }
    let script: String?
    if NeededPrograms.isShell(name) {
      // Behind so many options, there may be anything.
      script = ScriptInterpreters.shellScript(in: arguments.afterFirst) ?? (arguments.hasMore ? "" : input(in: folder))
    } else {
      guard ScriptInterpreters.contains(name) else { return nil }
      if arguments.text.isEmpty, now - started < betweenMilliseconds { return ScriptInterpreters.unsettled }
      script = ScriptInterpreters.script(in: arguments.afterFirst, of: name)
    }
    return script.map { MountNamespace.isOther(in: folder) ? ScriptInterpreters.elsewhere : $0 }
  }

  /// Returns the places of a script that is named by a relative path, and of one that is run for
  /// certain; `nil` in a process's own mounts, where any path may lead to any file.
  static func scripts(_ places: ScriptPlaces, in folder: String) -> (place: String?, certain: String?) {
    guard places.script != nil || places.certain != nil, !MountNamespace.isOther(in: folder) else { return (nil, nil) }
    return (places.script, places.certain)
  }

  /// Returns the path of the file that a process reads as its standard input; `nil` for anything
  /// else, such as a terminal.
  private static func input(in folder: String) -> String? {
    ProcFile.link("\(folder)/fd/0").flatMap { $0.hasPrefix("/") && !$0.hasPrefix("/dev/") ? $0 : nil }
  }

  /// Returns whether standard input, output or error of a process is a terminal window.
  static func isConnectedToTerminal(_ folder: String) -> Bool {
    (0...2).contains { ProcFile.link("\(folder)/fd/\($0)")?.hasPrefix("/dev/pts/") == true }
  }

  private mutating func image(
    _ program: ProgramPlace, at file: String, of user: UInt32, isHashed: Bool
  ) -> ProcessFacts.Image {
    let isGenuine = program.isGenuine
    var image = ProcessFacts.Image(
      path: ProgramPlace.cleaned(program.path), isHidden: !isGenuine, isForeign: program.isForeign)
    let expected = FileMark(program.status)
    if isHashed { image.sha256 = hashes.digest(of: file, expected: expected) }
    if isGenuine, !program.isForeign, program.status.st_uid == 0 {
      image.packages = files.packages(of: program.path)
      image.snap = program.snap
    }
    // A file that only root can put at its place is not a copy, even if it has the content of
    // another program. Another account may have made a copy for the child.
    if !isGenuine || program.isWritable({ $0 != 0 || isOwn($0, of: user) }) {
      (image.copiedPackages, image.copiedPaths) = files.originals.copied(Int64(program.status.st_size), own: file) {
        hashes.digest(of: $0, expected: $0 == file ? expected : nil)
      }
      if isGenuine { image.copiedPaths.remove(program.path) }
      if isHashed {
        interpreters.load()
        image.isInterpreterCopy = interpreters.areCopied(by: file, size: Int64(program.status.st_size)) {
          hashes.digest(of: $0, expected: $0 == file ? expected : nil)
        }
      }
    }
    // The kernel shows where a link leads, such as one of Debian's alternatives.
    if isGenuine { image.copiedPaths.formUnion(files.links(to: program.path)) }
    return image
  }

  /// Returns the files mapped as code, except a process's executable and the system's libraries.
  ///
  /// Also returns whether the account can write to the place of one of these files, and whether
  /// such a file still exists.
  mutating func mapped(
    _ folder: String, _ user: UInt32, _ wanted: Wanted
  ) -> (images: [ProcessFacts.Image], isFromWritablePlace: Bool, hasChildsCode: Bool) {
    guard let bytes = ProcFile.read("\(folder)/maps", most: 1 << 20) else { return ([], false, false) }
    var hasChildsCode = false
    var seen: Set<ArraySlice<UInt8>> = []
    var images: [ProcessFacts.Image] = []
    var placed: [ProcessFacts.Image] = []
    // If `maps` is longer than the part that was read, the rest may hide what the process runs.
    var isFromWritablePlace = bytes.count >= 1 << 20
    for line in bytes.split(separator: 0x0A) {
      // ADDRESS PERMISSIONS OFFSET DEVICE INODE PATH. The path may contain spaces.
      let fields = line.split(separator: 0x20, maxSplits: 5)
      guard fields.count == 6, fields[1].dropFirst(2).first == 0x78, fields[4].first != 0x30 else { continue }
      let path = String(decoding: fields[5].drop { $0 == 0x20 }, as: UTF8.self)
      guard path.hasPrefix("/"), seen.insert(line[fields[3].startIndex...]).inserted else { continue }
      // In its own mounts, an account can give any file any path. Only the agent's own view counts.
      let device = String(decoding: fields[3], as: UTF8.self)
      let isKnown = devices.isKnown(device) && isThere(path, device)
      let inode = UInt64(String(decoding: fields[4], as: UTF8.self)) ?? 0
      let isLibrary = ProgramPlace.isLibrary(path)
      let isToBeAsked = isKnown && (isLibrary || images.count < Self.mostMapped)
      let status = isToBeAsked ? ProcFile.status(path).flatMap { UInt64($0.st_ino) == inode ? $0 : nil } : nil
      if isLibrary, status?.st_uid == 0 { continue }
      guard let status, images.count < Self.mostMapped else {
        // It was deleted, is hidden, or exceeds the limit: only its place can identify it.
        isFromWritablePlace = true
        if let named = files.places.image(device: device, inode: inode), placed.count < Self.mostMapped {
          placed.append(named)
        }
        // A library that an upgrade has replaced is not a program.
        if images.count < Self.mostMapped, !(isLibrary && isKnown && path.hasSuffix(" (deleted)")) {
          images.append(ProcessFacts.Image(path: ProgramPlace.cleaned(path)))
        }
        continue
      }
      let program = ProgramPlace(path: path, status: status, mounts)
      let needs = wanted.needs[user] ?? []
      let isWritable = program.isWritable { isOwn($0, of: user) || wanted.accounts.contains($0) }
      if isWritable { (isFromWritablePlace, hasChildsCode) = (true, true) }
      let isHashed = needs.contains(.hashes) || isWritable && needs.contains(.ownHashes)
      images.append(image(program, at: path, of: user, isHashed: isHashed))
    }
    return (images + placed, isFromWritablePlace, hasChildsCode)
  }

  /// Returns whether a path in the machine's own view is on the file system with a device.
  ///
  /// On another file system, a child can give a file the path and the inode number of any file.
  private mutating func isThere(_ path: String, _ device: String) -> Bool {
    guard let device = KnownDevices.Device(device, radix: 16) else { return false }
    return mounts.isThere(path, device: device, isBelow: devices.holdsOwnFiles)
  }

  private func isOwn(_ user: UInt32, of account: UInt32) -> Bool {
    user == account || user != 0 && subordinates.account(of: user) == account
  }

  /// Returns whether a process is the first one, the agent, its node, or an ancestor of these.
  func isOfLatchkey(_ process: ProcessIdentity, _ program: ProgramPlace?, _ wanted: Wanted) -> Bool {
    process.processID == 1 || wanted.protected.contains(process)
      || program.map { wanted.protectedFiles.contains(FilePlace($0.status)) } == true
  }

  func isProtected(_ process: ProcessIdentity, _ program: ProgramPlace?, _ wanted: Wanted) -> Bool {
    isOfLatchkey(process, program, wanted) || program?.isNeeded == true
  }
}
