import LatchkeyModel
import LatchkeyRules

extension ChildStanding {
  /// Returns what the commands depend on with which a parent lets an application run.
  ///
  /// `registers` are those of the family and the child, and `today` is the present family day.
  func opening(
    of app: AppID, _ registers: [Register], today: FamilyDay, _ closing: MachineClosing
  ) -> ChildExplanation.Opening {
    let isListedOnly = rules.programs == .listed
    let breaks = registers.filter { $0.key == ChildRule.breaks.key.registerKey && $0.value != nil }
    var enabled = rules
    enabled.apps[app]?.isEnabled = true
    return ChildExplanation.Opening(
      day: situation.day.description, today: today.description, dayStartHour: Int(clamping: rules.dayStartHour),
      missingMinutes: plan.missingMinutes(for: Subject(app), in: situation),
      enabledCategory: rules.apps[app]?.isEnabled == false ? enabled.app(app).category ?? .neutral : nil,
      hasOwnBreaks: breaks.contains { $0.zone != .family }, hasFamilysBreaks: breaks.contains { $0.zone == .family },
      isRefused: isListedOnly && closing.isRefused, isUnrecognized: closing.closedWords != nil,
      mayBeOwn: isListedOnly && !app.isOfMany && !closing.isRefused && rules.apps[app]?.matchers.isEmpty ?? true)
  }
}
