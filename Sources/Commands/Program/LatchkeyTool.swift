import ArgumentParser
import LatchkeyModel

/// The root of the command line.
struct LatchkeyTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latchkey", abstract: "Keep a family's machines in step, without a cloud.",
    discussion: """
      A parent's machine sets rules for applications on a child's machine and sees how they are used. The machines find \
      each other on the network, are paired by a code, and talk encrypted.

      Start on each machine with `latchkey setup`, or with `latchkey init` and then `latchkey run`, which is left running. Then \
      run `latchkey pair` on both.

      A machine is named by its name, by its child's name, or by a beginning of one that fits no other machine.

      The state is kept in --state-dir, else in $LATCHKEY_STATE_DIR, else in $XDG_STATE_HOME/latchkey or \
      ~/.local/state/latchkey. Where the machine's own service runs, commands without either talk to that.
      """, version: Version.software,
    groupedSubcommands: [
      CommandGroup(
        name: "This machine",
        subcommands: [
          SetupSubcommand.self, InitSubcommand.self, RunSubcommand.self, StatusSubcommand.self, DoctorSubcommand.self,
          MetricsSubcommand.self, IdentitySubcommand.self,
        ]),
      CommandGroup(
        name: "The family's children",
        subcommands: [
          ChildrenSubcommand.self, AccountsSubcommand.self, RulesSubcommand.self, LimitSubcommand.self,
          BedtimeSubcommand.self, TimesSubcommand.self, BreaksSubcommand.self, DaysSubcommand.self, LockSubcommand.self,
          UnlockSubcommand.self, RequestsSubcommand.self, ApproveSubcommand.self, DenySubcommand.self,
          AskSubcommand.self, PointsSubcommand.self, RedeemSubcommand.self, RefundSubcommand.self,
        ]),
      CommandGroup(
        name: "The family's machines",
        subcommands: [PairSubcommand.self, DevicesSubcommand.self, NearbySubcommand.self]),
      CommandGroup(name: "Waiting for delivery", subcommands: [QueueSubcommand.self, SyncSubcommand.self]),
      CommandGroup(
        name: "Rules",
        subcommands: [
          AppSubcommand.self, AppsSubcommand.self, GrantSubcommand.self, SettingsSubcommand.self,
          MessageSubcommand.self, MessagesSubcommand.self, ReportSubcommand.self, CommandsSubcommand.self,
        ]),
      CommandGroup(
        name: "Use",
        subcommands: [
          TodaySubcommand.self, MeSubcommand.self, DashboardSubcommand.self, WebSubcommand.self, WidgetSubcommand.self,
          NoticesSubcommand.self, NotifySubcommand.self, ReceiversSubcommand.self, BrowsersSubcommand.self,
          BridgeSubcommand.self, ExplainSubcommand.self, UsageSubcommand.self,
        ]),
    ])
}
