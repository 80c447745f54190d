import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The notices for parents in words, with what still matters of them.
///
/// Spec: Protocol/07-local-api.md §4.
struct NoticeReader {
  /// Milliseconds within which several requests of a child are one notice.
  private static let joinedMilliseconds: Int64 = 60_000
  /// Milliseconds for which what has passed is told to a receiver that was away.
  private static let freshMilliseconds: Int64 = 86_400_000

  let household: Household
  let names: FactNames
  let terms: RuleTerms
  let requests: [RequestListing]
  /// What each machine has told that weakens rules on it.
  let conditions: [ConditionListing]
  let connected: Set<DeviceID>
  let overdue: Set<DeviceID>
  let held: Set<ChildID>
  let days: [ChildID: FamilyDay]
  /// The reading of the age clock, in milliseconds.
  let age: Int64

  /// Returns stored notices in words, the oldest first.
  ///
  /// Those about who has left the family are left out, and several requests of a child within a
  /// minute are one.
  func read(_ stored: [StoredNotice]) -> [ParentNotice] {
    var notices: [ParentNotice] = []
    /// The first request of the last notice of each child, by its place.
    var asked: [ChildID: (place: Int, age: Int64)] = [:]
    for notice in stored {
      if notice.kind == .asked, let child = notice.child, let last = asked[child],
        notice.age - last.age < Self.joinedMilliseconds, let joined = self.asked(notice, with: notices[last.place])
      {
        notices.remove(at: last.place)
        for (other, place) in asked where place.place > last.place { asked[other]?.place -= 1 }
        asked[child] = (notices.count, last.age)
        notices.append(joined)
        continue
      }
      guard let shown = show(notice) else { continue }
      if notice.kind == .asked, let child = notice.child { asked[child] = (notices.count, notice.age) }
      notices.append(shown)
    }
    return notices
  }

  private func show(_ notice: StoredNotice) -> ParentNotice? {
    if notice.kind == .asked { return asked(notice, with: nil) }
    let child = notice.child.flatMap { household.name(of: $0) }.map { DeviceName(sanitising: $0) }
    if notice.child != nil, child == nil { return nil }
    if let device = notice.device, !household.machines.contains(where: { $0.device == device }) { return nil }
    let device = notice.device.map { names[$0] }
    let isFresh = age - notice.age < Self.freshMilliseconds
    let place = device.map { "“\($0)”" } ?? "a machine"
    let whose = notice.device.flatMap { household.children(of: $0).first }.map { household.title(of: $0) }
    let sentence: String
    let matters: Bool
    switch notice.kind {
    case .asked: return nil
    case .limitReached:
      sentence = "\(child?.text ?? "A child") has used up a limit: \(PrintableText.of(notice.detail))."
      // The day stands in the key, behind the child.
      let day = notice.key.split(separator: "/").dropFirst(2).first.map(String.init)
      matters = notice.child.flatMap { days[$0]?.description } == day
    case .machineSilent:
      sentence =
        "\(place) has been silent for two days, so nothing new is known of it and no new rule reaches it: see whether "
        + "it is switched on and in the same network."
      matters = notice.device.map { !connected.contains($0) } ?? false
    case .machineBack:
      sentence = "\(place) is there again."
      matters = isFresh
    case .rulesWeakened:
      let words = condition(notice)?.words(on: place)
      sentence =
        words.map { "\($0.sentence) \($0.next)" }
        ?? "What weakened rules on \(place) is over" + (past(notice, on: place).map { ". It was: \($0)" } ?? ".")
      matters = words != nil
    case .ruleNotInForce:
      sentence =
        "What was set an hour ago or earlier is not in force on \(place) yet: `latchkey commands` shows what it waits for."
      matters = notice.device.map { overdue.contains($0) } ?? false
    case .parentJoined:
      sentence =
        "“\(PrintableText.of(notice.detail))” has joined as a parent's machine of \(place): if that is nobody's of the "
        + "family, run `latchkey devices unpair` on both of your machines and pair them anew."
      matters = age - notice.age < 7 * Self.freshMilliseconds
    case .learningHeld:
      sentence =
        "Learning of \(child?.text ?? "a child")'s looks wrong and waits for your review: `latchkey points review`."
      matters = notice.child.map { held.contains($0) } ?? false
    }
    return ParentNotice(
      number: notice.number, kind: notice.kind, key: notice.key, child: child ?? whose, device: device,
      sentence: sentence, at: notice.at, isOver: !matters)
  }

  /// Returns the words of a condition that is over, if this version knows it.
  private func past(_ notice: StoredNotice, on place: String) -> String? {
    guard let condition = MachineCondition(lines: [notice.detail]) else { return nil }
    let account = condition.account.map { String($0) } ?? ""
    return ConditionKind.named(condition.name)?.words(
      on: place, account: account, detail: condition.detail, app: terms.told(condition)
    ).sentence
  }

  private func condition(_ notice: StoredNotice) -> ConditionListing? {
    conditions.first { $0.deviceID == notice.device && $0.condition.lines.joined() == notice.detail }
  }

  /// Returns the notice of a request together with an earlier one, or the earlier one alone if the
  /// request is not kept any more.
  private func asked(_ notice: StoredNotice, with earlier: ParentNotice?) -> ParentNotice? {
    let id = Hexadecimal.decode(notice.detail).flatMap { CommandID(bytes: $0) }
    guard let request = requests.first(where: { $0.requestID == id }) else { return earlier }
    let known = (earlier?.requests ?? []).compactMap { id in requests.first { $0.requestID == id } }
    let all = known + (request.state == .open ? [request] : [])
    let wishes = (all.isEmpty ? [request] : all).map(Self.wish)
    let what =
      wishes.count == 1 ? wishes[0] : wishes.dropLast().joined(separator: ", ") + " and \(wishes[wishes.count - 1])"
    return ParentNotice(
      number: notice.number, kind: .asked, key: earlier?.key ?? notice.key, child: request.childName,
      device: request.deviceName, requests: all.map(\.requestID), sentence: "\(request.childName) asks for \(what).",
      at: notice.at, isOver: all.isEmpty)
  }

  /// Returns what a child asks for, such as “30 min for Kart: “I have done my homework””.
  private static func wish(_ request: RequestListing) -> String {
    let app = request.appName.map { PrintableText.of($0) }
    let purpose = app ?? request.category.map { ReasonText.plural($0).worded() }
    let what = request.minutes.map { SpanText.minutes($0) + (purpose.map { " for \($0)" } ?? "") } ?? app ?? "something"
    return request.reason.isEmpty ? what : "\(what) (“\(PrintableText.of(request.reason))”)"
  }
}
