import Foundation
import Glibc

/// The programs that were built with these tests.
enum BuiltProgram {
  /// `latchkey`.
  static var path: String { path(of: "latchkey") }

  /// Whether it is a build for release, which `LATCHKEY_PROGRAMS` names and which has no seams for
  /// tests.
  static let isForRelease = ProcessInfo.processInfo.environment["LATCHKEY_PROGRAMS"] != nil

  /// Whether another user has built it, so that what this user runs beside the tests is not built
  /// by this user either.
  static let isAnothers: Bool = {
    var status = stat()
    return stat(path, &status) == 0 && status.st_uid != geteuid()
  }()

  /// The path of another program of this package.
  static func path(of program: String) -> String { folder + "/" + program }

  /// The folder `Tools` of the checkout that these tests were built from.
  static let tools = checkout + "/Tools"

  private static let checkout: String = {
    var package = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    return package.path
  }()

  /// The folder of the programs: the one that `LATCHKEY_PROGRAMS` names, else that of the test
  /// bundle, else that of a debug build.
  static let folder: String = {
    if let chosen = ProcessInfo.processInfo.environment["LATCHKEY_PROGRAMS"] { return chosen }
    let bundle = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    if let beside = bundle.map({ URL(fileURLWithPath: $0).deletingLastPathComponent().path }),
      FileManager.default.isExecutableFile(atPath: beside + "/latchkey")
    {
      return beside
    }
    return checkout + "/.build/debug"
  }()
}
