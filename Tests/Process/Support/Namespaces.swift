import Foundation
import Glibc

/// The namespaces that an ordinary user creates for a lab, and the means to run programs in them.
///
/// In a user namespace of its own, the lab may mount file systems and set up networks. Nodes and
/// daemons may not: they run in a user namespace below it, as the user who runs the tests, without
/// a capability in either.
enum Namespaces {
  /// Returns the command prefix for new namespaces with the right to configure them; `kinds` are
  /// options of `unshare`.
  static func make(_ kinds: String...) -> [String] { ["unshare", "--user", "--map-root-user"] + kinds }

  /// Returns the command prefix for a holder's namespaces with the right to change them; `kinds`
  /// are options of `nsenter`.
  static func enter(_ holder: SpawnedProcess, _ kinds: String...) -> [String] {
    ["nsenter", "--target", "\(holder.pid)", "--user", "--preserve-credentials"] + kinds + ["--"]
  }

  /// The command that runs what follows as the user who runs the tests, where the lab itself may do
  /// everything.
  static let asOrdinaryUser = [
    "unshare", "--user", "--map-user=\(geteuid())", "--map-group=\(getegid())", "--",
  ]

  /// Shell commands, to be run in a mount namespace with an empty /run, after which avahi-daemon
  /// and its policy on the bus find the users that they ask for by name: there they are the one who
  /// runs the tests.
  static let namesForAvahi = """
    printf 'root:x:0:0::/:/bin/sh\\navahi:x:\(geteuid()):\(getegid())::/:/bin/false\\n' > /run/passwd
    printf 'root:x:0:\\navahi:x:\(getegid()):\\nnetdev:x:65533:\\n' > /run/group
    mount --bind /run/passwd /etc/passwd
    mount --bind /run/group /etc/group
    """

  /// Returns the reason why this user cannot create namespaces and run a script in them; `nil` if
  /// it can.
  static func obstacle(_ kinds: String..., script: String) -> String? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["unshare", "--user", "--map-root-user"] + kinds + ["sh", "-ec", script]
    process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
    process.standardOutput = output
    process.standardError = output
    guard (try? process.run()) != nil else { return "unshare cannot be run" }
    let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus != 0 else { return nil }
    let reason = words.split(separator: "\n").last.map(String.init) ?? "no reason given"
    return "this user may not make namespaces here (\(reason)); set kernel.unprivileged_userns_clone=1"
  }
}

/// The user and the capabilities of a process, read from the kernel.
struct ProcessRights {
  /// The effective user ID, as this process's user namespace counts.
  let user: uid_t
  /// The effective capabilities, in hexadecimal digits; zeros for none.
  let capabilities: String

  /// Reads the rights of a process.
  ///
  /// - Throws: `LabFault` if there is no such process.
  init(of pid: pid_t) throws {
    let lines = ProcessLab.read("/proc/\(pid)/status").split(separator: "\n")
    func fields(_ name: String) -> [Substring] {
      lines.first { $0.hasPrefix(name + ":") }?.split(whereSeparator: \.isWhitespace) ?? []
    }
    guard let user = fields("Uid").dropFirst(2).first.flatMap({ uid_t($0) }),
      let set = fields("CapEff").dropFirst().first
    else { throw LabFault("There is no process \(pid) whose rights could be read.") }
    (self.user, capabilities) = (user, String(set))
  }

  /// A Boolean value that indicates whether the process may do more than an ordinary user.
  var isPrivileged: Bool { user == 0 || capabilities.contains { $0 != "0" } }

  /// Records a node's privileges for `Tools/test`, and refuses one with more than those of an
  /// ordinary user.
  static func record(_ node: pid_t, _ name: String) throws {
    let rights = try ProcessRights(of: node)
    defer { rights.note() }
    try rights.refusePrivileges(of: name)
  }

  /// Throws a `LabFault` if the process may do more than an ordinary user.
  func refusePrivileges(of name: String) throws {
    guard !isPrivileged else {
      throw LabFault("\(name) runs as user \(user) with capabilities \(capabilities); run Tools/test.")
    }
  }

  private func note() {
    // Several test programs append to it at the same time.
    guard let path = ProcessInfo.processInfo.environment["LATCHKEY_TEST_NODES"], let file = fopen(path, "a") else {
      return
    }
    defer { fclose(file) }
    let name = getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
    fputs("\(name) \(capabilities)\n", file)
  }
}
