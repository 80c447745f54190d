import Glibc
import LatchkeySystem
import Testing

/// Tests of the limit on a node's open files.
@Suite struct OpenFilesTests {
  @Test("The limit of open files is raised to the system's maximum, and a raised limit is kept")
  func raise() throws {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var before = rlimit()
    try #require(getrlimit(resource, &before) == 0)
    defer { setrlimit(resource, &before) }
    var low = rlimit(rlim_cur: min(512, before.rlim_max - 1), rlim_max: before.rlim_max)
    try #require(setrlimit(resource, &low) == 0)
    for _ in 0..<2 {
      OpenFiles.raiseLimit()
      var after = rlimit()
      try #require(getrlimit(resource, &after) == 0)
      #expect(after.rlim_cur == before.rlim_max && after.rlim_max == before.rlim_max)
    }
  }
}
