import Foundation
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Names of machines that a shell completes: they can be another machine's text, and bash expands
  /// what it is offered.
  @Suite struct CompletionTests {
    /// Writes the script that bash completes with, and returns its path.
    private func script(_ lab: ProcessLab) async throws -> String {
      let script = lab.newPath()
      let generated = try await lab.latchkey(["--generate-completion-script", "bash"])
      try Data(generated.output.utf8).write(to: URL(fileURLWithPath: script))
      return script
    }

    // Has bash complete the machine of `latchkey devices show`, or the last of other words, as
    // after a press of Tab. The trap is a file that the names of machines would make if bash
    // expanded them.
    private func complete(
      _ begun: String, after words: String = "devices show", at node: NodeProcess, by script: String,
      trap: String = ""
    ) async throws -> [Substring] {
      let result = try await node.lab.run(
        "/bin/bash",
        [
          "-c",
          """
          complete() { :; }
          source "$1"
          COMP_WORDS=("$2" $4 "$3") COMP_LINE="$2 $4 $3"
          COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE}
          COMPREPLY=()
          _latchkey "$2" "$3" "${COMP_WORDS[COMP_CWORD - 1]}"
          printf '%s\\n' "${COMPREPLY[@]}"
          """, "bash", script, BuiltProgram.path, begun, words,
        ], variables: ["LATCHKEY_STATE_DIR": node.folder, "TRAP": trap])
      #expect(result.talk.isEmpty, "\(result)")
      return result.output.split(separator: "\n")
    }

    @Test("Tab offers Emma's PC, and a machine whose name a shell would expand by its ID, and runs nothing")
    func bash() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        let script = try await script(lab)
        _ = try await parent.api.ask(Endpoints.renameDevice, ("Emma's PC", RenameRequest(childName: "Émile")))
        #expect(try await complete("", at: parent, by: script) == ["Emma's PC", "Émile"])
        #expect(try await complete("Emma", at: parent, by: script) == ["Emma's PC"])
        for words in ["sync --on", "sync now --on", "message Dinner --on"] {
          #expect(try await complete("", after: words, at: parent, by: script).contains("Emma's PC"), "\(words)")
        }
        #expect(try await complete("n", after: "sync", at: parent, by: script) == ["now"])
        let trap = lab.newPath()
        let id = try #require(try await parent.api.ask(Endpoints.getDevices).first?.device.deviceID)
        for name in ["E$(id>$TRAP)", "E`id>$TRAP`", "E';id>$TRAP;'"] {
          let renamed = try await child.latchkey("devices", "rename", "--self", name)
          #expect(renamed.status == 0, "\(renamed)")
          try await eventually("the parent calls it so") {
            try await parent.api.ask(Endpoints.getDevices).first?.device.name.text == name
          }
          #expect(try await complete("", at: parent, by: script, trap: trap) == [Substring(id.short), "Émile"])
          #expect(!FileManager.default.fileExists(atPath: trap))
        }
        // A person who is told to paste a command is given its ID as well.
        let warnings = try await parent.api.ask(Endpoints.getStatus).warnings
        #expect(warnings.contains { $0.contains("“Emma's PC” was renamed") && $0.contains(id.short) }, "\(warnings)")
      }
    }
  }
}
