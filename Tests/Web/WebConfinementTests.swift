import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import Testing

@testable import LatchkeyWeb

/// The kernel confines a thread, so that the test has one of its own.
@Suite("What bounds the process of the pages")
struct WebConfinementTests {
  @Test(
    "The key and the database cannot be opened, and the authority and links can be made",
    .enabled(if: FileConfinement.isAvailable, "the kernel has no Landlock 2"))
  func files() async throws {
    let base = FileManager.default.temporaryDirectory.appendingPathComponent("lk-web-\(UUID().uuidString)").path
    let (state, runtime) = ("\(base)/state", "\(base)/run")
    for folder in [state, runtime] {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    defer { try? FileManager.default.removeItem(atPath: base) }
    let closed = [StateFolder(path: state).keyFile, "\(state)/latchkey.sqlite", "\(state)/node.json", "\(base)/letter"]
    for path in closed { try "secret".write(toFile: path, atomically: false, encoding: .utf8) }
    let place = try WebPlace(ofNodeIn: state, runtimeFolder: runtime)
    let seen = await withCheckedContinuation { (continuation: CheckedContinuation<[Bool], Never>) in
      Thread {
        let isConfined = FileConfinement.confine(to: WebConfinement.rules(place, stateFolder: state)) == .confined
        let isRefused = closed.allSatisfy { open($0, O_RDONLY) < 0 && open($0, O_WRONLY) < 0 && unlink($0) != 0 }
        let openssl = ToolRun.run(
          "openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "\(state)/web/key"])
        let isKept = (try? ProxyHosts(stateFolder: state).add("pc.example")) ?? false
        let isServed = ((try? place.take()) ?? nil) != nil && LocalSocket.listen(at: place.socket) != nil
        let hasOutput = if case .output = openssl { true } else { false }
        continuation.resume(returning: [isConfined, isRefused, hasOutput, isKept, isServed])
      }.start()
    }
    #expect(seen == [true, true, true, true, true])
    for path in closed { #expect(try String(contentsOfFile: path, encoding: .utf8) == "secret") }
  }

  @Test("A folder that another one has taken the place of is known, as when a backup was restored")
  func replaced() throws {
    let base = FileManager.default.temporaryDirectory.appendingPathComponent("lk-web-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: base) }
    #expect(FolderMark("\(base)/web") == nil)
    try FileManager.default.createDirectory(atPath: "\(base)/web", withIntermediateDirectories: true)
    let mark = try #require(FolderMark("\(base)/web"))
    try "x".write(toFile: "\(base)/web/authority.pem", atomically: true, encoding: .utf8)
    #expect(mark.isInPlace)
    try FileManager.default.moveItem(atPath: "\(base)/web", toPath: "\(base)/old")
    #expect(!mark.isInPlace)
    try FileManager.default.copyItem(atPath: "\(base)/old", toPath: "\(base)/web")
    #expect(!mark.isInPlace)
    try FileManager.default.removeItem(atPath: "\(base)/web")
    try FileManager.default.moveItem(atPath: "\(base)/old", toPath: "\(base)/web")
    #expect(mark.isInPlace)
    // This process is not confined, so that nothing ends it.
    #expect(!WebConfinement.isOutdated)
  }

  @Test("A full disk refuses a change with 507, in the node's own sentence")
  func disk() {
    let error = LocalAPIError(.storage, "The disk is full: delete files, and try again.")
    let answer = EntryPages.page(EntryPages.Fault(error, back: "/"), EntryPages.bare("Not done"))
    guard case .bytes(let bytes) = answer.worded(in: .english).body else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(answer.status == 507 && text.contains("The disk is full: delete files") && !text.contains("data-live"))
  }

  @Test("One refusal a minute is logged")
  func refusals() {
    let log = RefusalLog()
    #expect([0, 1, 59_999, 60_000, 60_001].map { log.isNew($0) } == [true, false, false, true, false])
  }
}
