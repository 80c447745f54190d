import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of files that take long to read: Protocol/13-agent.md §8.
@Suite struct LargeFileTests {
  private let wanted = ProcessLooker.Wanted(
    accounts: [geteuid()], needs: [geteuid(): .all], protected: [], protectedFiles: [])

  /// Makes a file without content that takes up no room.
  private func makeSparse(_ path: String, _ size: Int64, from program: String? = nil) throws {
    if let program {
      try FileManager.default.copyItem(atPath: program, toPath: path)
    } else {
      try #require(FileManager.default.createFile(atPath: path, contents: nil))
    }
    try #require(truncate(path, Int(size)) == 0)
  }

  @Test("A large file is read in parts, between which small ones are read at once")
  func parts() throws {
    let folder = try Folder()
    let (large, small) = (folder.path + "/large", folder.path + "/small")
    try makeSparse(large, HashCache.atOnce + 1)
    try makeSparse(small, HashCache.atOnce)
    var hashes = HashCache()
    #expect(hashes.digest(of: large) == nil && hashes.hasWork)
    let mark = FileMark(try #require(ProcFile.status(large)))
    #expect(hashes.takePostponed() == [mark] && hashes.isWaiting(mark))
    // The end is long ago: one part is read.
    #expect(hashes.work(until: 0).isEmpty && hashes.isWaiting(mark) && hashes.reads == 0)
    #expect(hashes.digest(of: small) != nil && hashes.reads == 1)
    #expect(hashes.digest(of: large, expected: mark) == nil && hashes.takePostponed() == [mark])
    #expect(hashes.work(until: .max) == [mark] && !hashes.hasWork)
    #expect(hashes.digest(of: large) != nil && hashes.takePostponed().isEmpty && hashes.reads == 2)
  }

  @Test("Of large files a bounded number waits, and a small one among them does not wait for all before it")
  func many() throws {
    let folder = try Folder()
    try makeSparse(folder.path + "/none", HashCache.largestFile + 1)
    var hashes = HashCache()
    #expect(hashes.digest(of: folder.path + "/none") == nil && !hashes.hasWork)
    var marks: [FileMark] = []
    for number in 0..<65 {
      let path = "\(folder.path)/\(number)"
      try makeSparse(path, number == 0 ? HashCache.largestFile : HashCache.atOnce + 1)
      marks.append(FileMark(try #require(ProcFile.status(path))))
      #expect(hashes.digest(of: path) == nil)
    }
    #expect(hashes.takePostponed() == Set(marks))
    #expect(marks.filter { hashes.isWaiting($0) } == Array(marks.dropFirst()), "The greatest has to come again.")
    var done: Set<FileMark> = []
    while done.isEmpty { done = hashes.work(until: 0) }
    #expect(done == Set(marks[1...4]))
    // Now there is room.
    #expect(hashes.digest(of: "\(folder.path)/0") == nil && hashes.isWaiting(marks[0]))
  }

  @Test("Smaller files that come again and again do not keep a larger one from being read")
  func flood() throws {
    let folder = try Folder()
    func come(_ name: String, _ size: Int64) throws -> FileMark {
      let path = "\(folder.path)/\(name)"
      try makeSparse(path, size)
      #expect(hashes.digest(of: path) == nil)
      return FileMark(try #require(ProcFile.status(path)))
    }
    var hashes = HashCache()
    let large = try come("large", HashCache.atOnce * 2)
    var (rounds, isDone) = (0, false)
    while !isDone, rounds < 1_000 {
      rounds += 1
      _ = try come("\(rounds)", HashCache.atOnce + 1)
      isDone = hashes.work(until: 0).contains(large)
    }
    #expect(isDone && hashes.hasWork, "\(rounds) rounds")
  }

  @Test("A file that is changed while it is read has no hash, and is read again")
  func changed() throws {
    let folder = try Folder()
    let path = folder.path + "/large"
    try makeSparse(path, HashCache.atOnce + 1)
    var hashes = HashCache()
    #expect(hashes.digest(of: path) == nil)
    let first = FileMark(try #require(ProcFile.status(path)))
    _ = hashes.work(until: 0)
    try #require(truncate(path, Int(HashCache.atOnce + 2)) == 0)
    #expect(hashes.work(until: .max) == [first])
    #expect(hashes.digest(of: path) == nil && hashes.hasWork)
    _ = hashes.work(until: .max)
    #expect(hashes.digest(of: path) != nil)
  }

  @Test("A program whose file is large is recognized once that is read")
  func program() throws {
    let folder = try Folder()
    let path = folder.path + "/large"
    try makeSparse(path, HashCache.atOnce + 1, from: "/bin/cat")
    var looker = ProcessLooker()
    func look(_ program: RunningCat) throws -> ProcessFacts {
      let seen = looker.look(at: program.pid, wanted, BootClock.now())
      return try #require(seen).facts
    }
    let program = try RunningCat([path])
    let seen = try look(program)
    #expect(seen.images.map(\.sha256) == [nil] && seen.isFromWritablePlace && looker.hashes.hasWork)
    #expect(try look(RunningCat(["/bin/cat"])).images.first?.sha256 != nil, "Another one does not wait for it.")
    #expect(try look(program).images.first?.sha256 == nil)
    var news: [ProcessFacts] = []
    let done = looker.hashes.work(until: .max)
    looker.look(atThoseWith: done, wanted, until: BootClock.now() + 60_000) { news.append($0) }
    let digest = try #require(news.first?.images.first?.sha256)
    #expect(news.map(\.identity) == [seen.identity])
    looker.look(atThoseWith: done, wanted, until: BootClock.now() + 60_000) { _ in Issue.record("It was told already.")
    }
    #expect(try look(RunningCat([path])).images.first?.sha256 == digest, "It is known at the next start.")
  }
}
