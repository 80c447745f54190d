import Foundation
import LatchkeyNode
import LatchkeyProtocol
import Testing

@Suite("Key file: on disk")
struct KeyFileStoreTests {
  private let folder: TemporaryFolder
  private let store: KeyFileStore

  init() throws {
    folder = try TemporaryFolder()
    store = KeyFileStore(path: folder.file("identity.key"))
  }

  private func mode() throws -> UInt32 {
    var status = stat()
    try #require(lstat(store.path, &status) == 0)
    return status.st_mode & 0o7777
  }

  @Test("a new file is accessible only to its owner, and is read back")
  func create() throws {
    let keyFile = KeyFile.generate()
    try store.create(keyFile)
    #expect(try mode() == 0o600)
    #expect(try folder.names == ["identity.key"])
    #expect(try store.load().encoded() == keyFile.encoded())
  }

  @Test("an identity is never overwritten by a new one")
  func alreadyThere() throws {
    let first = KeyFile.generate()
    try store.create(first)
    #expect(throws: KeyFileError.alreadyExists(path: store.path)) { try store.create(.generate()) }
    #expect(try store.load().encoded() == first.encoded())
    #expect(try folder.names == ["identity.key"])
  }

  @Test("if several processes create a file at the same time, one succeeds and its file is complete")
  func race() async throws {
    let store = store
    let winners = await withTaskGroup(of: KeyFile?.self) { group in
      for _ in 0..<16 {
        group.addTask {
          let keyFile = KeyFile.generate()
          return (try? store.create(keyFile)) == nil ? nil : keyFile
        }
      }
      return await group.reduce(into: [KeyFile]()) { if let keyFile = $1 { $0.append(keyFile) } }
    }
    #expect(winners.count == 1)
    #expect(try store.load().encoded() == winners.first?.encoded())
    #expect(try folder.names == ["identity.key"])
  }

  @Test("a replaced file gets strict permissions even if the old one had none")
  func replace() throws {
    try store.create(.generate())
    try #require(chmod(store.path, 0o644) == 0)
    let next = KeyFile.generate()
    try store.replace(with: next)
    #expect(try mode() == 0o600)
    #expect(try store.load().encoded() == next.encoded())
    #expect(try folder.names == ["identity.key"])
  }

  @Test("a missing file is reported")
  func missing() {
    #expect(throws: KeyFileError.missing(path: store.path)) { try store.load() }
  }

  @Test(
    "permissions for other users are refused", arguments: [0o640, 0o604, 0o610, 0o620, 0o602, 0o601, 0o777] as [UInt32])
  func rightsTooOpen(_ mode: UInt32) throws {
    try store.create(.generate())
    try #require(chmod(store.path, mode) == 0)
    #expect(throws: KeyFileError.rightsTooOpen(path: store.path, mode: mode)) { try store.load() }
  }

  @Test(
    "a file without permissions for its owner is refused",
    .disabled(if: geteuid() == 0, "the superuser may read every file"))
  func unreadable() throws {
    try store.create(.generate())
    try #require(chmod(store.path, 0) == 0)
    #expect(throws: KeyFileError.unreadable(path: store.path, code: EACCES)) { try store.load() }
  }

  @Test("a folder, a link and a pipe are refused as key files")
  func notAFile() throws {
    let target = KeyFileStore(path: folder.file("target"))
    try target.create(.generate())
    let makers: [(String) -> Int32] = [
      { mkdir($0, 0o700) }, { symlink(target.path, $0) }, { mkfifo($0, 0o600) }, { symlink("/nowhere", $0) },
    ]
    for make in makers {
      try #require(make(store.path) == 0)
      #expect(throws: KeyFileError.notAFile(path: store.path)) { try store.load() }
      try #require(remove(store.path) == 0)
    }
  }

  @Test("damaged files: empty, truncated, too long, or of another kind")
  func corrupt() throws {
    let keyFile = KeyFile.generate().encoded().withUnsafeBytes { [UInt8]($0) }
    let contents: [[UInt8]] = [
      [], [UInt8](keyFile.dropLast()), keyFile + [0], [UInt8](repeating: 0, count: 154),
      [UInt8](repeating: 1, count: 100_000),
    ]
    for content in contents {
      try Data(content).write(to: URL(filePath: store.path))
      try #require(chmod(store.path, 0o600) == 0)
      #expect(throws: KeyFileError.corrupt(path: store.path)) { try store.load() }
    }
  }

  @Test("a file of a later version is reported as such")
  func newerVersion() throws {
    var body = KeyFile.generate().encoded().withUnsafeBytes { [UInt8]($0.dropLast(32)) }
    body[8] = 7
    try Data(body + SHA256.hash(body)).write(to: URL(filePath: store.path))
    try #require(chmod(store.path, 0o600) == 0)
    #expect(throws: KeyFileError.newerVersion(path: store.path, version: 7)) { try store.load() }
  }

  @Test("a folder that cannot be written leaves no partial file")
  func unwritable() throws {
    let lost = KeyFileStore(path: folder.file("nowhere/identity.key"))
    #expect(throws: KeyFileError.unwritable(path: lost.path, code: ENOENT)) { try lost.create(.generate()) }
    try #require(mkdir(store.path, 0o700) == 0)
    #expect(throws: KeyFileError.unwritable(path: store.path, code: EISDIR)) { try store.replace(with: .generate()) }
    #expect(throws: KeyFileError.alreadyExists(path: store.path)) { try store.create(.generate()) }
    #expect(try folder.names == ["identity.key"])
    let under = KeyFileStore(path: "/dev/null/identity.key")
    #expect(throws: KeyFileError.unwritable(path: under.path, code: ENOTDIR)) { try under.create(.generate()) }
    #expect(throws: KeyFileError.unreadable(path: under.path, code: ENOTDIR)) { try under.load() }
  }

  @Test("errors name the file and the next step in one sentence")
  func sentences() {
    let path = "/state/identity.key"
    let errors: [KeyFileError] = [
      .missing(path: path), .unreadable(path: path, code: EACCES), .notAFile(path: path),
      .rightsTooOpen(path: path, mode: 0o644), .foreignOwner(path: path, owner: 1000),
      .newerVersion(path: path, version: 2), .corrupt(path: path), .alreadyExists(path: path),
      .unwritable(path: path, code: ENOSPC),
    ]
    for error in errors {
      #expect(error.description.contains(path) && error.description.hasSuffix(".") && error.description.contains(";"))
    }
    #expect(errors[1].description.contains("Permission denied") && errors[8].description.contains("No space left"))
    #expect(errors[3].description.contains("mode 644"))
  }
}
