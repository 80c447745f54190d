import LatchkeyModel

/// The check of what weakens the rules on children's machines, as those machines tell it.
///
/// Spec: Protocol/10-household.md §6.
struct ConditionCheck: Check {
  /// The words for conditions of one name.
  private struct Kind {
    let name: String
    let severity: Severity
    /// Returns the sentence's middle, from the account's name and the detail; it ends with “on” and the machine, or without.
    let sentence: @Sendable (_ account: String, _ detail: String, _ machine: String) -> String
    let next: @Sendable (_ account: String, _ detail: String) -> String
  }

  private static let kinds = [
    Kind(name: "agent-silent", severity: .fault) { _, _, machine in
      "No agent runs on \(machine), so nothing is closed there."
    } next: { _, _ in
      "Start it there with `sudo systemctl start latchkey-agent`, or see why `latchkey run` starts none."
    },
    Kind(name: "no-agent", severity: .information) { _, _, machine in
      "The node on \(machine) was started without an agent, so rules are recorded there and nothing is closed."
    } next: { _, _ in
      "Start it without --no-agent if that is not meant."
    },
    Kind(name: "own-programs-only", severity: .information) { _, _, machine in
      "Rules hold on \(machine) for the programs of one account alone, whose owner can end Latchkey."
    } next: { _, _ in
      "Install the package there, so that Latchkey runs as a service of the machine."
    },
    Kind(name: "no-process-events", severity: .warning) { _, _, machine in
      "The kernel of \(machine) does not tell of programs that start, so they are closed up to a second late."
    } next: { _, _ in
      "Use a kernel with process events (CONFIG_PROC_EVENTS), as Debian's has."
    },
    Kind(name: "no-sessions", severity: .warning) { _, _, machine in
      "Nothing tells of sessions on \(machine), so they are not locked before they are ended, and learning counts by input alone."
    } next: { _, _ in
      "Start systemd-logind there, and look at `systemctl status systemd-logind dbus`."
    },
    Kind(name: "no-input", severity: .information) { _, _, machine in
      "No keyboard, pointer or gamepad can be read on \(machine), so learning earns while a session is open there and unlocked, also if nobody uses it."
    } next: { _, _ in
      "Plug one in there."
    },
    Kind(name: "no-login-gate", severity: .warning) { _, _, machine in
      "Log-in is not refused on \(machine) while sessions are closed, because PAM does not ask Latchkey there."
    } next: { _, _ in
      "Switch its profile on there with `sudo pam-auth-update --enable latchkey`."
    },
    Kind(name: "orders-damaged", severity: .warning) { _, _, machine in
      "The agent's orders were found damaged on the disk of \(machine) within a day, and earlier ones held until new ones came."
    } next: { _, _ in
      "Check that disk."
    },
    Kind(name: "logins-let-through", severity: .warning) { _, _, machine in
      "Log-ins were let through on \(machine) within a day although sessions close there, because the agent did not answer."
    } next: { _, _ in
      "Look there at its log with `journalctl -u latchkey-agent`."
    },
    Kind(name: "events-lost", severity: .information) { _, _, machine in
      "Within a day, so many programs started on \(machine) that the kernel could not tell the agent of all of them; "
        + "it looked at everything again, so that some were closed late."
    } next: { _, _ in
      "If it comes again, see what starts them with `ps -e --sort=-start_time` there."
    },
    Kind(name: "rule-needed-program", severity: .warning) { account, app, machine in
      "The rules of \(named(app)) name a program that \(machine) needs, so that is not closed\(of(account))."
    } next: { _, app in
      "Give it a matcher that fits the program alone with `latchkey app set`."
    },
    Kind(name: "rule-matches-everything", severity: .warning) { account, app, machine in
      "The rules of \(named(app)) would recognize every program on \(machine), so they close none\(of(account))."
    } next: { _, app in
      "Give the program's full path, its package or its SHA-256 with `latchkey app set`."
    },
    Kind(name: "rule-bad-matcher", severity: .warning) { account, app, machine in
      "The rules of \(named(app)) cannot recognize a program on \(machine), so they close none\(of(account))."
    } next: { _, app in
      "Give the program's full path, its package or its SHA-256 with `latchkey app set`."
    },
    Kind(name: "rule-unrecognized", severity: .information) { _, app, machine in
      "Nothing on \(machine) is recognized as \(named(app)), so its rules close nothing there."
    } next: { _, app in
      "Install it there, or say how to recognize it: `latchkey app set \(app) --matcher \"path /usr/games/…\"`."
    },
    Kind(name: "rule-no-account", severity: .warning) { _, _, machine in
      "An account of a child is not there any more on \(machine)."
    } next: { _, _ in
      "Say again whose accounts they are with `latchkey accounts`."
    },
    Kind(name: "cannot-pause", severity: .information) { account, _, machine in
      "Programs cannot be paused on \(machine) and are closed instead\(of(account))."
    } next: { _, _ in
      "Choose closing with `latchkey app set --when-over close`, or use a kernel with control groups of the second version."
    },
    Kind(name: "cannot-close-sessions", severity: .warning) { account, _, machine in
      "Sessions cannot be closed on \(machine), so programs are closed one by one\(of(account))."
    } next: { _, _ in
      "Install the package there, and see that systemd-logind runs; or choose `latchkey settings set --sessions leave`."
    },
    Kind(name: "too-many-rules", severity: .fault) { _, _, machine in
      "There are more rules than the agent on \(machine) takes, so that earlier ones still hold there."
    } next: { _, _ in
      "Remove the rules of applications that are not used any more."
    },
    Kind(name: "orders-not-kept", severity: .fault) { _, _, machine in
      "The newest rules could not be written to the disk of \(machine): they hold until its agent is started again."
    } next: { _, _ in
      "Make room there on the disk of /var/lib/latchkey-agent, or check it; the agent tries again by itself."
    },
    Kind(name: "clock-unset", severity: .warning) { _, _, machine in
      "The clock of \(machine) was never set, so bedtime and days are wrong there."
    } next: { _, _ in
      "Switch a time service on there with `sudo timedatectl set-ntp true`."
    },
    Kind(name: "clock-set", severity: .information) { _, _, machine in
      "The clock of \(machine) was set within a day. Rules and points go by the time that has passed, so nothing is gained by it."
    } next: { _, _ in
      "Set it right again there, or switch a time service on with `sudo timedatectl set-ntp true`."
    },
    Kind(name: "other-enforcer", severity: .warning) { _, detail, machine in
      "\(detail) limits the use of \(machine) as well, so that it may close what your rules allow."
    } next: { _, detail in
      "Keep the limits in one of both: remove \(detail) there, or set no rules here."
    },
    Kind(name: "privileged-group", severity: .warning) { account, detail, machine in
      "The account \(account) on \(machine) is in the group \(detail), with which it can get around every rule."
    } next: { account, detail in
      "Take it out there with `sudo gpasswd --delete \(account) \(detail)`."
    },
    Kind(name: "lingering", severity: .information) { account, _, machine in
      "Programs of the account \(account) on \(machine) go on after it has logged out; they are closed and counted all the same."
    } next: { account, _ in
      "End that there with `sudo loginctl disable-linger \(account)`."
    },
  ]

  private static func named(_ app: String) -> String { app.isEmpty ? "an application" : "“\(app)”" }
  private static func of(_ account: String) -> String { account.isEmpty ? "" : " for the account \(account)" }

  func findings(_ facts: Facts) -> [Finding] {
    facts.conditions.map { listing in
      let machine = listing.isOwn ? "this machine" : "“\(listing.deviceName)”"
      let heard = Self.heard(listing, facts)
      let condition = listing.condition
      guard let kind = Self.kinds.first(where: { $0.name == condition.name }) else {
        return Finding(
          "machine-condition", .information,
          "A newer Latchkey on \(machine) tells of “\(condition.name)”, which this one does not know\(heard).",
          next: "Update Latchkey on this machine.")
      }
      let account = listing.accountName ?? ""
      let sentence = kind.sentence(account, condition.detail, machine)
      return Finding(
        condition.name, kind.severity, heard.isEmpty ? sentence : sentence.dropLast() + heard + ".",
        next: kind.next(account, condition.detail))
    }
  }

  /// Returns when a machine that is not connected was last heard.
  private static func heard(_ listing: ConditionListing, _ facts: Facts) -> String {
    guard !listing.isOwn, case .running(let status, _) = facts.node,
      status.peers.first(where: { $0.device.deviceID == listing.deviceID })?.isConnected != true,
      let at = listing.heardAt
    else { return "" }
    return " (last heard \(SpanText.of(max(0, facts.clock.now - at))) ago)"
  }
}
