import Foundation
import LatchkeySystem
import Testing

/// Tests of the line by which PAM asks the agent.
@Suite struct LoginGateLineTests {
  @Test("Log-in is asked about where a line of PAM's file runs the gate")
  func loginGate() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("lk-pam-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(!LoginGateLine.isThere(file.path), "a machine without the file asks nobody")
    let lines = [
      "account requisite pam_deny.so": false,
      "# account [success=ignore default=1] pam_exec.so quiet /usr/bin/latchkey-agent gate": false,
      "account [success=ignore default=1]\tpam_exec.so quiet seteuid stdout /usr/bin/latchkey-agent gate": true,
      "account [success=ignore default=1] pam_exec.so seteuid /usr/lib/latchkey/raise-limits /usr/bin/latchkey-agent gate":
        true,
    ]
    for (line, isThere) in lines {
      try Data("account required pam_permit.so\n\(line)\n".utf8).write(to: file)
      #expect(LoginGateLine.isThere(file.path) == isThere, "\(line)")
    }
  }
}
