import Foundation
import Glibc
import LatchkeySystem
import Synchronization
import Testing

/// The kernel confines a thread, so that each test has one of its own.
@Suite("The confinement to some files", .enabled(if: FileConfinement.isAvailable, "the kernel has no Landlock 2"))
struct FileConfinementTests {
  /// Runs a body in a thread that ends with it.
  private func inThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: body()) }.start()
    }
  }

  /// The error of an attempt to open a file; 0 if it can be opened.
  private static func fault(_ path: String, _ flags: Int32 = O_RDONLY) -> Int32 {
    let descriptor = open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor < 0 else {
      close(descriptor)
      return 0
    }
    return errno
  }

  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lk-files-\(UUID().uuidString)").path
    for name in ["open", "closed"] {
      try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
      try "text".write(toFile: "\(folder)/\(name)/file", atomically: false, encoding: .utf8)
    }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  @Test("What no rule names cannot be opened, whoever owns it, and what one names can be written and moved")
  func files() async throws {
    try await withFolder { (folder: String) async throws -> Void in
      let seen = await inThread { () -> [Int32] in
        let outcome = FileConfinement.confine(to: FileConfinement.programs + [.init("\(folder)/open", .write)])
        mkdir("\(folder)/open/new", 0o700)
        return [
          outcome == .confined ? 0 : 1, Self.fault("\(folder)/closed/file"),
          Self.fault("\(folder)/closed", O_DIRECTORY),
          Self.fault("\(folder)/closed/other", O_WRONLY | O_CREAT), Self.fault("\(folder)/open/../closed/file"),
          Self.fault("/proc/self/root\(folder)/closed/file"), Self.fault("\(folder)/open/file", O_RDWR),
          Self.fault("\(folder)/open/new/file", O_WRONLY | O_CREAT),
          rename("\(folder)/open/new/file", "\(folder)/open/moved"),
          rename("\(folder)/open/moved", "\(folder)/closed/x"),
          Self.fault("/etc/passwd"), Self.fault("/etc/passwd", O_WRONLY), Self.fault("/proc/net/tcp"),
        ]
      }
      #expect(seen == [0, EACCES, EACCES, EACCES, EACCES, EACCES, 0, 0, 0, -1, 0, EACCES, 0])
      #expect(Self.fault("\(folder)/closed/file") == 0, "The rest of this process is not confined.")
    }
  }

  @Test("A program that a confined thread starts runs, and is confined as well")
  func programs() async throws {
    try await withFolder { (folder: String) async throws -> Void in
      let seen = await inThread { () -> [ToolRun.Result] in
        _ = FileConfinement.confine(to: FileConfinement.programs + [.init("\(folder)/open", .write)])
        return [
          ToolRun.run("cat", ["\(folder)/open/file"]), ToolRun.run("cat", ["\(folder)/closed/file"]),
        ]
      }
      #expect(seen.first == .output("text"))
      guard case .failed(let words)? = seen.last else {
        Issue.record("\(seen)")
        return
      }
      #expect(words.contains("Permission denied"))
    }
  }

  @Test("The memory of a program outside cannot be looked at")
  func memory() async throws {
    let own = "/proc/\(getpid())/environ"
    let seen = await inThread { () -> [Int32] in
      let before = Self.fault(own)
      _ = FileConfinement.confine(to: FileConfinement.programs)
      return [before, Self.fault("/proc/1/environ"), Self.fault("/proc/\(getppid())/environ")]
    }
    #expect(seen == [0, EACCES, EACCES])
  }
}
