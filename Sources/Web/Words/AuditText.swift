import LatchkeyModel
import LatchkeyNode

/// The sentences about entries of the audit.
enum AuditText {
  /// Returns what was done.
  static func words(_ entry: AuditEntry) -> Phrase {
    let target = Phrase.Argument.text(entry.target)
    let (old, new) = (Phrase.Argument.text(entry.old ?? "–"), Phrase.Argument.text(entry.new ?? "–"))
    switch entry.action {
    case "register.set": return Phrase(verbatim: entry.words ?? entry.target)
    case "device.paired": return Phrase("{machine} was paired.", ["machine": new])
    case "device.assigned":
      return entry.new.map { $0.isEmpty } ?? true
        ? Phrase("{machine} is no child's any more.", ["machine": target])
        : Phrase("{machine} was given to {child}.", ["machine": target, "child": new])
    case "device.renamed": return Phrase("{old} is called {new} now.", ["old": old, "new": new])
    case "device.removed": return Phrase("{machine} was removed.", ["machine": entry.old == nil ? target : old])
    case "device.forgotten":
      return Phrase("{machine} was removed without being told.", ["machine": entry.old == nil ? target : old])
    case "device.quarantined":
      return Phrase("{machine} was cut off, since two machines use its keys.", ["machine": target])
    case "device.released": return Phrase("{machine} is no longer cut off.", ["machine": target])
    case "household.keys-changed": return Phrase("The family's keys were changed.")
    case "identity.renewed": return Phrase("This machine got a new identity, and its pairings ended.")
    case "parent.told": return Phrase("Another parent is {parent}.", ["parent": new])
    case "receiver.set":
      return Phrase("The receiver {receiver} was set up: {rights}.", ["receiver": target, "rights": new])
    case "receiver.acts": return Phrase("The receiver {receiver} did this: {deed}.", ["receiver": target, "deed": new])
    case "browser.let-in":
      return entry.new == BrowserRight.look.rawValue
        ? Phrase("The phone {phone} was let in, to look.", ["phone": target])
        : Phrase("The phone {phone} was let in, with a parent's rights.", ["phone": target])
    case "browser.removed": return Phrase("The phone {phone} was signed out.", ["phone": target])
    case "receiver.removed": return Phrase("The receiver {receiver} was removed.", ["receiver": target])
    case "zone.forgotten": return Phrase("What was kept of a child or a machine was forgotten.")
    case "usage.dropped": return Phrase("No room was left for use, which was dropped: {what}.", ["what": new])
    case "usage.not-queued": return Phrase("No room was left for use that {machine} was to get.", ["machine": target])
    case let action where action.hasPrefix("clock."):
      return Phrase("The clock of this machine was set: {what}.", ["what": new])
    default: return Phrase("{action}: {target}", ["action": .text(entry.action), "target": target])
    }
  }

  /// Returns who did it: a machine, and the phone that was used.
  static func author(_ entry: AuditEntry) -> Phrase {
    guard let phone = entry.through else { return Phrase(verbatim: entry.by.text) }
    return Phrase("{machine}, through {phone}", ["machine": .text(entry.by.text), "phone": .text(phone)])
  }

  /// Returns whom or what it is about.
  static func whom(_ entry: AuditEntry) -> Phrase {
    if let name = entry.childName ?? entry.deviceName { return Phrase(verbatim: name.text) }
    return entry.target == "family" ? Phrase("the whole family") : PageWords.none
  }

  /// Returns what there was before; of what is no rule, the sentence says it.
  static func before(_ entry: AuditEntry) -> String { entry.action == "register.set" ? entry.old ?? "–" : "–" }
}
