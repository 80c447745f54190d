import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// The Debian package, on a system of its own.
  @Suite(
    .enabled(if: geteuid() == 0, "only root can boot a system; run Tools/test by sudo"),
    .enabled(if: Length.isThorough, "it takes over half a minute; run Tools/test --thorough"))
  struct PackageAsRoot {
    @Test(
      "It is installed, used by each account as it may, upgraded, removed and purged, is the same bytes each time, and is not got around"
    )
    func install() async throws {
      try await ProcessLab.run(asRoot: true) { lab in
        func package(_ version: String, in folder: String, _ options: String...) async throws -> String {
          let made = try await lab.run(
            BuiltProgram.tools + "/package",
            ["--built", BuiltProgram.folder, "--for-tests", "--version", version, "--output", folder] + options)
          guard made.status == 0 else { throw LabFault("no package: \(made)") }
          return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let old = try await package("0.0.1", in: lab.newPath())
        let again = try await package("0.0.1", in: lab.newPath())
        let new = try await package("99.0", in: lab.newPath(), "--check")
        #expect(FileManager.default.contentsEqual(atPath: old, andPath: again))
        for scenario in [
          ["install", old, new], ["setup", new], ["bypasses", new], ["enforce", new], ["sessions", new],
          ["subjects", new],
        ] {
          let run = try await lab.run(BuiltProgram.tools + "/nested", ["run"] + scenario)
          #expect(run.status == 0, "\(run)")
          print(run.output)
        }
      }
    }

    @Test("Its services run hardened on Debian's kernel, with process events and input devices, in a virtual machine")
    func hardened() async throws {
      try await ProcessLab.run(asRoot: true) { lab in
        let made = try await lab.run(
          BuiltProgram.tools + "/package",
          ["--built", BuiltProgram.folder, "--for-tests", "--version", "0.0.1", "--output", lab.newPath()])
        guard made.status == 0 else { throw LabFault("no package: \(made)") }
        let package = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let run = try await lab.run(BuiltProgram.tools + "/vm", ["run", "hardened", package])
        #expect(run.status == 0, "\(run)")
        print(run.output)
      }
    }
  }
}
