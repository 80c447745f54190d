import Foundation

/// The `latchkey` that was built with these tests.
enum BuiltProgram {
  /// Its path: beside the test bundle, else where a debug build leaves it.
  static let path: String = {
    let bundle = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let beside = bundle.map {
      URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("latchkey").path
    }
    if let beside, FileManager.default.isExecutableFile(atPath: beside) { return beside }
    var package = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    return package.appendingPathComponent(".build/debug/latchkey").path
  }()
}
