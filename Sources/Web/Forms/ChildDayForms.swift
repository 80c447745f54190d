import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// What a parent does on a child's day: bedtime later, and a message to the child's machines.
enum ChildDayForms {
  static let all = [
    Form(path: "/children/later", whoMay: [.parent, .phone]) { call in
      guard let minutes = try call.minutes("minutes"), (1...240).contains(minutes) else {
        throw PageFault(400, "Bedtime is 1 to 240 minutes later: go back and choose one.")
      }
      let plan = try await ChildPlan.read(of: try call.child(), at: call.node)
      let (times, start) = try later(plan, by: minutes, now: call.now)
      guard try call.field("version") == plan.version(of: .bedtime) else { throw changedMeanwhile }
      let change = DayRule.bedtime.key(on: DayRange(plan.today)).change(times)
      let keyed = try await call.once(try call.field("key"))
      let made: RuleEdit
      do throws(LocalAPIError) {
        let request = RuleRequest([change], seen: plan.seen(.bedtime, [change]))
        made = try await keyed.ask(Endpoints.setRules, (plan.child, request))
      } catch {
        if error.code == .tooLate { throw changedMeanwhile }
        throw error
      }
      // A second press at the same time changes nothing.
      if made.isRepeated == true { throw changedMeanwhile }
      let phrase = start.map { start in
        Phrase(
          "{child}'s bedtime begins at {time} today.", ["child": .text(plan.name), "time": .text(start)])
      }
      return FormOutcome(
        sentences: [phrase ?? Phrase("{child} has no bedtime today any more.", ["child": .text(plan.name)])]
          + PageWords.late(made.machines, PageClock(now: call.now)), page: "/children/\(plan.child)")
    },
    Form(path: "/children/message", whoMay: [.parent, .phone]) { call in
      let plan = try await ChildPlan.read(of: try call.child(), at: call.node)
      let text = try call.field("text")
      guard !plan.machines.isEmpty else {
        throw PageFault(404, "No machine is this child's yet, so nothing can be shown there.")
      }
      for machine in plan.machines {
        let request = CommandRequest(device: machine.device.deviceID.description, action: .message(text))
        _ = try await call.node.ask(Endpoints.issue, request)
      }
      let clock = PageClock(now: call.now)
      return FormOutcome(
        sentences: [Phrase("Your message goes to {child}.", ["child": .text(plan.name)])]
          + PageWords.late(plan.machines.map(EditedMachine.init), clock), page: "/children/\(plan.child)")
    },
  ]

  private static let changedMeanwhile = PageFault(
    409, "Nothing was changed: the bedtime was changed meanwhile, here or elsewhere. Go back and look at it again.")

  /// Returns the times of a bedtime that begins later today, as a rule writes them, and the time at
  /// which it begins then.
  ///
  /// - Parameters:
  ///   - plan: What holds.
  ///   - minutes: How much later than its beginning, or than now if it has begun.
  ///   - now: Unix milliseconds.
  /// - Returns: The times, and the beginning; `nil` for none if nothing is left of it.
  /// - Throws: `PageFault` if there is no bedtime today, or it would begin on the next day.
  static func later(
    _ plan: ChildPlan, by minutes: Int, now: Int64
  ) throws(PageFault) -> (times: String, start: String?) {
    guard let boundary = plan.boundary else {
      throw PageFault(500, "The family's clock is not known: try again.")
    }
    let today = plan.today
    let exception = plan.plan.exceptions.last { $0.days.contains(today) && $0.rules.bedtime != nil }?.rules.bedtime
    var windows = exception?.windows ?? plan.plan.bedtime?[today.weekday] ?? []
    let index = windows.firstIndex { window in
      boundary.instant(on: today, minute: window.start + window.length) > now
    }
    guard let index else {
      throw PageFault(400, "There is no bedtime today that could begin later.")
    }
    let window = windows[index]
    let hasBegun = boundary.instant(on: today, minute: window.start) <= now
    let start =
      (hasBegun
        ? boundary.minuteOfDay(at: now) + (boundary.minuteOfDay(at: now) < window.start ? 1_440 : 0)
        : window.start) + minutes
    windows.remove(at: index)
    var texts = windows.map(\.text)
    guard start < window.start + window.length else {
      return (texts.isEmpty ? "none" : texts.joined(separator: ", "), nil)
    }
    // A time before the hour at which the day begins is on the next date.
    guard start < 1_440 || start - 1_440 < boundary.dayStartHour * 60 else {
      throw PageFault(
        400,
        "Bedtime would begin on the next day: remove it for today on the page of times, or lock the machines later.")
    }
    let beginning = clock(start % 1_440)
    texts.append("\(beginning)-\(window.text.suffix(5))")
    do throws(RuleFault) { return (try DayWindows(typed: texts.joined(separator: ", ")).text, beginning) } catch {
      throw PageFault(400, error.phrase)
    }
  }

  private static func clock(_ minute: Int) -> String {
    let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
    return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
  }
}
