import Foundation
import LatchkeyNode
import LatchkeyProtocol
import Testing

@Suite(
  "Key file: owned by another user",
  .enabled(if: geteuid() == 0, "only root can give files away and act as someone else; run Tools/test by sudo"))
struct KeyFileStoreAsRoot {
  private let folder: TemporaryFolder
  private let store: KeyFileStore

  init() throws {
    folder = try TemporaryFolder()
    store = KeyFileStore(path: folder.file("identity.key"))
  }

  @Test("a file of another user is refused")
  func foreignOwner() throws {
    try store.create(.generate())
    try #require(chown(store.path, 65_534, 65_534) == 0)
    #expect(throws: KeyFileError.foreignOwner(path: store.path, owner: 65_534)) { try store.load() }
  }

  @Test("a file that the system refuses to open is reported")
  func refused() throws {
    try store.create(.generate())
    // `setfsuid` sets the user as whom this thread opens files. Nothing suspends before it is set
    // back.
    let symbol = try #require(dlsym(nil, "setfsuid"))
    let setFileUser = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> Int32).self)
    _ = setFileUser(65_534)
    let result = Result { try store.load() }
    _ = setFileUser(0)
    #expect(throws: KeyFileError.unreadable(path: store.path, code: EACCES)) { try result.get() }
  }
}
