import Testing

@testable import LatchkeyCommands

/// The script with which bash completes commands.
@Suite struct CompletionScriptTests {
  @Test func wordsWithoutASubcommandAreThoseOfTheDefaultOne() async {
    let script = await ScriptedRun("--generate-completion-script", "bash").console.output
    for (function, name) in [
      ("_latchkey_sync", "now"), ("_latchkey_message", "send"), ("_latchkey_apps_group", "list"),
    ] {
      let body = script.beginning(after: "\n\(function)() {\n")
      #expect(body.contains("unparsed_words=(\(name) \"${unparsed_words[@]}\")"), "\(function): \(body)")
    }
    let app = script.beginning(after: "\n_latchkey_app() {\n")
    #expect(!app.isEmpty && !app.contains("unparsed_words=(set"))
  }

  @Test func otherTextsStayAsTheyAre() {
    #expect(CompletionScript.completed("\n_latchkey_sync() {\n") == "\n_latchkey_sync() {\n")
  }
}

extension String {
  /// Returns the beginning of what follows a text.
  fileprivate func beginning(after head: String) -> Substring {
    guard let start = firstRange(of: head)?.upperBound else { return "" }
    return self[start...].prefix(400)
  }
}
