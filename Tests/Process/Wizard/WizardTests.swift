import Foundation
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Both wizards in real terminals, with real nodes behind them that find each other on loopback.
  @Suite struct WizardTests: WizardFamily {
    @Test("Both wizards pair with the typed code, which the child's wizard finds on the network")
    func typed() async throws {
      try await family { parent, child, tmux in
        let right = try await tmux.open(child)
        try await right.prompts("Code:")
        let left = try await tmux.open(parent)
        try await left.shows("Whose machine will this be?")
        try await left.enter("Emma")
        let code = try await left.typedCode()
        // Other codes may be open on this machine's loopback, too.
        try await eventually("the child's wizard has found the code") {
          let words = try await right.words
          let list = words.range(of: "begin").map { words[$0.upperBound...] } ?? ""
          return list.hasSuffix("Code:") && list.contains(" \(code.prefix(2))")
        }
        try await right.enter(code.lowercased())
        try await left.shows("“Emma's PC” (child) wants to join. Both screens must show the digits")
        try await right.shows("“Kitchen laptop” (parent) answers to the code. Both screens must show the digits")
        #expect(try await digits(left) == digits(right))
        try await left.shows(question)
        try await left.enter("y")
        try await right.shows(sameThere)
        try await right.enter("yes")
        try await leaveAccount(left)
        #expect(try await right.ended() == 0)
        try await left.shows(
          "Paired with “Emma's PC”. Next: set a rule, such as `latchkey limit set")
        try await right.shows("Paired with “Kitchen laptop”. Next: leave `latchkey run` running")
        #expect(try await parent.api.ask(Endpoints.getDevices).map(\.device.childName) == ["Emma"])
        #expect(try await child.api.ask(Endpoints.getDevices).map(\.device.name.text) == ["Kitchen laptop"])
        // Nothing was asked twice, and no log knows the code.
        for (terminal, asked) in [(left, ["Whose machine", question]), (right, [sameThere])] {
          for text in asked { #expect(try await terminal.words.components(separatedBy: text).count == 2) }
        }
        for log in [parent.log, child.log] { #expect(!log.contains(code.dropFirst(3))) }
      }
    }

    private func digits(_ terminal: TmuxTerminal) async throws -> Substring {
      let words = try await terminal.words
      let after = try #require(words.range(of: "must show the digits ")).upperBound
      return words[after...].prefix(7)
    }

    @Test(
      "The picture of the code can be scanned from the screen, on dark and light backgrounds, with and without colors")
    func picture() async throws {
      try await family { parent, child, tmux in
        for (variables, options, backgrounds) in [
          ([], [], [true, false]), (["NO_COLOR=1"], [], [true]), (["NO_COLOR=1"], ["--background", "light"], [false]),
          (["NO_COLOR=1", "COLORFGBG=0;15"], [], [false]),
        ] as [([String], [String], [Bool])] {
          let left = try await tmux.open(parent, ["pair", "--for", "Emma"] + options, variables: variables)
          try await left.shows("Good for")
          let shown = try await left.pastedCode().filter { $0 != "-" }
          for isDark in backgrounds {
            #expect(try await decode(left, isDark: isDark) == shown, "\(variables) \(options), dark: \(isDark)")
          }
          try await left.press("C-c")
          #expect(try await left.ended() == 75)
        }
        // The scanned code pairs.
        let left = try await tmux.open(parent, ["pair", "--for", "Emma"])
        try await left.shows("Good for")
        let right = try await tmux.open(child)
        try await right.prompts("Code:")
        try await right.enter(try await decode(left, isDark: true))
        try await agree(left, right)
      }
    }

    @Test("Ctrl-C at each point on the parent's side leaves both unpaired and says so")
    func interruptedAtTheParent() async throws {
      try await family { parent, child, tmux in
        for step in 0..<4 {
          let left = try await tmux.open(parent)
          try await left.shows("Whose machine will this be?")
          var right: TmuxTerminal?
          if step >= 1 {
            try await left.enter("")
            try await left.shows("Good for")
          }
          if step >= 2 {
            let terminal = try await tmux.open(child)
            try await terminal.prompts("Code:")
            try await terminal.enter(try await left.typedCode())
            try await left.shows(question)
            try await terminal.shows(sameThere)
            right = terminal
          }
          if step >= 3 {
            try await left.enter("y")
            try await left.shows("You said yes; waiting for “Emma's PC”")
          }
          try await left.press("C-c")
          #expect(try await left.ended() == 75, "step \(step)")
          try await left.shows(
            step == 0
              ? "Cancelled: nothing was begun" : "Neither machine is paired with the other, unless it was before.")
          if step > 0 {
            try await left.shows("The code was cancelled here: nothing was changed; run `latchkey pair` again")
          }
          if let right {
            // The other side hears of it, or its connection ends.
            #expect([65, 75, 77].contains(try await right.ended()), "step \(step)")
            #expect(try await right.words.contains("latchkey: The pairing was cancelled at the other machine"))
          }
          try await expectUnpaired(parent, child)
        }
      }
    }

    @Test("Ctrl-C at each point on the child's side leaves both unpaired and says so")
    func interruptedAtTheChild() async throws {
      try await family { parent, child, tmux in
        for step in 0..<4 {
          let left = try await tmux.open(parent, ["pair", "--for", "Emma"])
          let code = try await left.typedCode()
          let right = try await tmux.open(child)
          try await right.prompts("Code:")
          // At step 1, no machine shows the code.
          if step == 1 { try await right.enter(try await closedCode(parent)) }
          if step >= 2 {
            try await right.enter(code)
            try await right.shows(sameThere)
            try await left.shows(question)
          }
          if step == 3 {
            try await right.enter("y")
            try await right.shows("You said yes; waiting for “Kitchen laptop”")
          }
          if step == 1 { try await right.shows("Looking for the machine that shows this code") }
          try await right.press("C-c")
          #expect(try await right.ended() == 75, "step \(step)")
          try await right.shows(
            step == 0
              ? "Cancelled: nothing was begun" : "Neither machine is paired with the other, unless it was before.")
          try await expectUnpaired(child)
          #expect(try await parent.api.ask(Endpoints.getDevices).isEmpty)
          try await left.press("C-c")
          #expect([65, 75, 77].contains(try await left.ended()), "step \(step)")
          try await expectUnpaired(parent, child)
        }
      }
    }

    @Test("A cancellation by the child's person is reported as theirs, and does not appear in a later success")
    func brokenOffAndBegunAgain() async throws {
      try await family { parent, child, tmux in
        let left = try await tmux.open(parent, ["pair", "--for", "Emma"], rows: 60)
        let code = try await left.typedCode()
        let first = try await tmux.open(child)
        try await first.prompts("Code:")
        try await first.enter(code)
        try await first.shows(sameThere)
        try await left.prompts(question)
        try await left.enter("y")
        try await left.shows("You said yes; waiting for “Emma's PC”")
        try await first.press("C-c")
        #expect(try await first.ended() == 75)
        try await first.shows("You cancelled the pairing: nothing was changed; run `latchkey pair` again")
        try await left.shows("Somebody broke it off at the other machine, and the code is still open")

        let second = try await tmux.open(child)
        try await second.prompts("Code:")
        try await second.enter(code)
        try await second.shows(sameThere)
        try await left.prompts(question)
        try await left.enter("y")
        try await second.enter("y")
        try await leaveAccount(left)
        #expect(try await second.ended() == 0)
        try await left.shows("Paired with “Emma's PC”.")
        #expect(try await !left.words.contains("cancelled"))
      }
    }

    /// A code that was good a moment ago.
    private func closedCode(_ parent: NodeProcess) async throws -> String {
      let invited = try await parent.api.ask(Endpoints.invite, InviteRequest())
      _ = try await parent.api.ask(Endpoints.cancelPairing, invited.pairingID)
      return try #require(invited.typedCode)
    }

    /// Another code with the same first symbols and a right check symbol.
    private func guess(_ code: String) throws -> String {
      let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
      var values = code.filter { $0 != "-" }.dropLast().compactMap { symbols.firstIndex(of: $0) }
      values[4] = (values[4] + 1) % 32
      var (factor, sum) = (2, 0)
      for value in values.reversed() {
        sum += factor * value / 32 + factor * value % 32
        factor = 3 - factor
      }
      let text = String((values + [(32 - sum % 32) % 32]).map { symbols[$0] })
      return "\(text.prefix(2))-\(text.dropFirst(2).prefix(5))-\(text.suffix(2))"
    }

    @Test("A wrong, mistyped, truncated, foreign and used code get one sentence each, and the right one then works")
    func wrongCodes() async throws {
      try await family { parent, child, tmux in
        let left = try await tmux.open(parent, ["pair", "--for", "Emma"])
        let code = try await left.typedCode()
        let pasted = try await left.pastedCode()
        let right = try await tmux.open(child)
        var mistyped = Array(code)
        mistyped[4] = mistyped[4] == "7" ? "8" : "7"
        for (text, sentence) in [
          (String(mistyped), "The short code has a typing error"),
          (String(code.dropLast(2)), "The short code has nine symbols"),
          (String(pasted.dropLast(20)), "The code is cut off after"),
          ("hello there, this is no code", "This is not a Latchkey pairing code"),
          (try await closedCode(parent), "No machine on this network shows this code"),
        ] {
          try await right.prompts("Code:")
          try await right.enter(text)
          if text.hasPrefix("LK1") {
            try await right.shows("press Enter to leave it at that")
            try await right.press("Enter")
          }
          try await right.shows(sentence)
        }
        // A wrong secret that is a code: the parent's person sees the guess.
        try await right.prompts("Code:")
        try await right.enter(try guess(code))
        try await right.shows("The other machine refused this code as wrong")
        try await left.shows("Somebody entered a wrong code;")
        try await right.prompts("Code:")
        try await right.enter(code)
        try await agree(left, right)
        // The same code again is spent; the pasted one tells that it did its work.
        let again = try await tmux.open(child)
        try await again.prompts("Code:")
        try await again.enter(pasted)
        try await again.shows("The two machines are paired already")
        #expect(try await again.ended() == 0)
      }
    }

    @Test("A long code copied from the screen in several lines is accepted as one")
    func pastedInLines() async throws {
      try await family { parent, child, tmux in
        for options in [[], ["--plain"]] {
          let left = try await tmux.open(parent, ["pair", "--for", "Emma"] + options, columns: 100)
          let code = try await left.pastedCode()
          let right = try await tmux.open(child, ["pair"] + options)
          try await right.prompts("Code:")
          try await right.enter(String(code.prefix(30)))
          try await right.shows("The code goes on: paste or type its next line")
          try await right.enter(String(code.dropFirst(30)))
          try await right.shows(sameThere)
          // Failures elsewhere do not concern the code: the person refuses.
          try await right.enter("n")
          #expect(try await right.ended() == 77)
          #expect(try await left.ended() == 77)
          try await left.shows("The other machine said no, and the code is closed")
        }
      }
    }

    @Test("Input typed before the question, and input from a pipe, accepts no machine")
    func typedAhead() async throws {
      try await family { parent, child, tmux in
        let left = try await tmux.open(parent, ["pair", "--for", "Emma"])
        let code = try await left.typedCode()
        for _ in 0..<3 { try await left.enter("y") }
        let right = try await tmux.open(child)
        try await right.prompts("Code:")
        try await right.enter(code)
        try await right.shows(sameThere)
        try await right.enter("y")
        try await left.shows(question)
        try await right.shows("You said yes; waiting for")
        #expect(try await parent.api.ask(Endpoints.getPairings).map(\.phase) == [.asking])
        #expect(try await parent.api.ask(Endpoints.getDevices).isEmpty)
        try await left.enter("n")
        #expect(try await left.ended() == 77)
        #expect(try await right.ended() == 77)
        try await left.shows("You said no")
        try await right.shows("The other machine said no: the digits differ or somebody declined")
        try await expectUnpaired(parent, child)

        for node in [parent, child] {
          let piped = try await node.latchkey("pair", input: String(repeating: "y\n", count: 100))
          #expect(piped.status == 64 && piped.output.isEmpty && piped.talkLines.count == 1, "\(piped)")
        }
        try await expectUnpaired(parent, child)
      }
    }

    @Test("Invalid names are refused with a sentence, and the next one is accepted")
    func names() async throws {
      try await family { parent, _, tmux in
        let left = try await tmux.open(parent)
        try await left.prompts("nothing)")
        try await left.enter(String(repeating: "x", count: 65))
        try await left.shows("The name has 65 bytes of UTF-8: shorten it")
        try await left.prompts("nothing)")
        try await left.enter("\u{202E}ammE")
        try await left.shows("control or invisible characters")
        try await left.prompts("nothing)")
        try await left.enter("Emma 🎀 עמה")
        try await left.shows("Code for “Emma 🎀")
        #expect(try await parent.api.ask(Endpoints.getPairings).map(\.childName) == ["Emma 🎀 עמה"])
        try await left.press("C-c")
        #expect(try await left.ended() == 75)
      }
    }

    @Test("The code stays open while a killed node restarts, and the person is told if it does not")
    func nodeDies() async throws {
      try await family { parent, child, tmux in
        let left = try await tmux.open(parent, ["pair", "--for", "Emma"])
        let code = try await left.typedCode()
        await parent.kill()
        try await left.shows("The node of this machine is gone")
        try await parent.start()
        let right = try await tmux.open(child)
        try await right.prompts("Code:")
        try await right.enter(code)
        try await left.shows(question)
        try await right.shows(sameThere)
        // The child's node dies while both persons are asked.
        await child.kill()
        try await left.shows("That machine is gone again, and the code is still open.")
        #expect(try await right.ended() == 69)
        try await right.shows("start `latchkey run`, look at `latchkey devices list`")
        try await child.start()
        await parent.kill()
        #expect(try await left.ended() == 69)
        try await left.shows("start `latchkey run`, look at `latchkey devices list`")
        try await parent.start()
        #expect(try await parent.api.ask(Endpoints.getDevices).isEmpty)
        #expect(try await child.api.ask(Endpoints.getDevices).isEmpty)
      }
    }
  }
}
