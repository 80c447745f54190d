import LatchkeyModel
import LatchkeyRules

/// The applications of a child that have rules, or are installed and have a category by default, as
/// `GET /v1/apps` lists them.
package struct ChildApps: Hashable, Sendable, Codable {
  /// The child; `nil` for the whole family while it has no child.
  package var child: ChildListing?
  /// The applications, in the order of their IDs.
  package var apps: [AppListing]
}

/// What is in force for one application of a child: for each rule the child's, otherwise the
/// family's.
package struct AppListing: Hashable, Sendable, Codable {
  package var appID: AppID
  /// The name for people; the ID if none was given.
  package var displayName: String
  /// The category; `nil` if none is set.
  package var category: AppCategory?
  /// A Boolean value that indicates whether the category is a default, which no parent has set.
  package var isByDefault: Bool = false
  /// The rate in milli-points per minute of its own; `nil` for that of its category.
  package var ownMilliPointsPerMinute: Int64?
  /// The rate in milli-points per minute that holds.
  package var milliPointsPerMinute: Int64 = 0
  /// A Boolean value that indicates whether its rules hold.
  package var isEnabled: Bool = true
  package var isBlocked: Bool = false
  package var isAlwaysAllowed: Bool = false
  /// The limit a day, as its rule is written; `nil` for none.
  package var limit: String?
  /// When it may be used, as its rule is written; `nil` for always.
  package var hours: String?
  /// The groups that it is in and whose rules hold for it.
  package var groups: [GroupListing] = []
  /// The rules that recognize its processes.
  package var matchers: [AppMatcher] = []
  /// The rules that are set for it, in the order of their keys.
  package var rules: [RuleListing] = []
}

/// A group of applications with what it says of the times of each.
package struct GroupListing: Hashable, Sendable, Codable {
  package var name: GroupName
  /// The limit a day on all of them together, as its rule is written; `nil` for none.
  package var limit: String?
  /// When they may be used, as its rule is written; `nil` for always.
  package var hours: String?
}

/// The rules of a child, as the local API shows them.
public struct ChildRules: Hashable, Sendable, Codable {
  public var child: ChildListing
  /// The rules that are set for the child, in the order of their keys; exceptions for past days are
  /// left out, except for times that still go on.
  public var rules: [RuleListing]
  /// The rules of the whole family that hold for the child, in the order of their keys.
  public var family: [RuleListing] = []
  /// The applications on the child's machines whose category is a default, in the order of their
  /// IDs.
  public var defaults: [DefaultListing] = []
}

/// The category of an application that no parent has set.
public struct DefaultListing: Hashable, Sendable, Codable {
  public var appID: AppID
  public var displayName: String
  public var category: AppCategory
}

/// A rule of a child.
public struct RuleListing: Hashable, Sendable, Codable {
  public var key: RegisterKey
  /// The value, in the form that is stored.
  public var value: String
  public var name: String
  public var words: String
  /// The name of the machine on which it was set.
  public var setBy: DeviceName
  /// When it was set, in Unix milliseconds by that machine's clock.
  public var setAt: Int64
  /// The reason that the rule has no effect, in one sentence; `nil` if it has.
  public var notInForce: String?
  /// A Boolean value that indicates whether it is a rule of the whole family.
  public var isFamilys: Bool = false
  /// On a parent's node, the machines that should hold the rule of another parent's and have not
  /// told that they do.
  public var missing: [DeviceName] = []
  /// The name and the value as a phrase, of whose words a language may have its own.
  public var phrase: Phrase?
  /// `notInForce` as a phrase.
  public var notInForcePhrase: Phrase?
}

/// Rules that were set.
public struct RuleEdit: Hashable, Sendable, Codable {
  /// The child's rules from now on.
  public var rules: ChildRules
  /// The commands that carry the edit, one or more for each of the child's machines.
  public var commands: [ConfigurationCommand]
  /// The machines that the commands are for, each once.
  public var machines: [EditedMachine] = []
  /// The application that the request named; `nil` if it named none.
  public var app: EditedApp?
  /// The applications of the group whose applications the request set, in the order of their IDs.
  public var members: [EditedApp] = []
  /// The applications that the request took out of a group, in the order of their IDs; `nil` if it
  /// took out none.
  public var formerMembers: [EditedApp]?
  /// The keys of rules that were to be removed and were not set.
  public var absent: [RegisterKey] = []
  /// The minutes that were granted, or taken away if it is negative; `nil` for another edit.
  public var minutes: Int?
  /// `true` if a request with the same key was carried out before, so that this one did nothing;
  /// otherwise `nil`.
  public var isRepeated: Bool?
}

extension RuleEdit {
  /// The edit without the child's other rules, which are not a receiver's.
  var shownToReceiver: RuleEdit {
    var edit = self
    edit.rules.rules = rules.rules.filter { $0.key == "lock" }
    (edit.rules.family, edit.rules.defaults, edit.absent) = ([], [], [])
    return edit
  }
}

/// The rules of the whole family, as `GET /v1/settings` shows them.
package struct FamilyRules: Hashable, Sendable, Codable {
  /// The settings that hold, with the defaults of those that nobody has set.
  package var settings: FamilySettings
  /// The rules that are set for the family, in the order of their keys.
  package var rules: [RuleListing]
  /// On a parent's node, the machines that have not yet confirmed the last change.
  package var untold: [DeviceName]
}

/// Rules of the family that were set.
package struct FamilyEdit: Hashable, Sendable, Codable {
  /// The family's rules from now on.
  package var rules: FamilyRules
  /// The commands that carry the edit, one or more for each child's machine.
  package var commands: [ConfigurationCommand]
  /// The machines that the commands are for, each once.
  package var machines: [EditedMachine] = []
  /// The application that the request named; `nil` if it named none.
  package var app: EditedApp?
  /// The applications of the group whose applications the request set, in the order of their IDs.
  package var members: [EditedApp] = []
  /// The applications that the request took out of a group, in the order of their IDs; `nil` if it
  /// took out none.
  package var formerMembers: [EditedApp]?
  /// The keys of rules that were to be removed and were not set.
  package var absent: [RegisterKey] = []
}

/// A machine that an edit goes to.
public struct EditedMachine: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  public var name: DeviceName
  /// A Boolean value that indicates whether it is connected, so that it gets the edit now.
  public var isConnected: Bool
  /// A Boolean value that indicates whether it has not been connected since it was paired.
  public var isNew: Bool
  /// When it was last seen, in Unix milliseconds; `nil` if that is not known.
  public var lastSeenAt: Int64?
}

extension EditedMachine {
  /// Creates the value for a device with its link.
  package init(_ peer: PeerStatus) {
    self.init(
      deviceID: peer.device.deviceID, name: peer.device.name, isConnected: peer.isConnected,
      isNew: peer.marks.contains(.neverConnected), lastSeenAt: peer.device.lastSeenAt)
  }
}

/// The application that an edit named.
public struct EditedApp: Hashable, Sendable, Codable {
  /// What became of the rules of an application that was reset.
  public enum Reset: String, Hashable, Sendable, Codable, CaseIterable {
    case removed
    /// It had no rules.
    case unset
    /// It had only rules of the family's, or of a child's if those of the family's were meant.
    case elsewhere
  }

  public var appID: AppID
  public var name: String
  /// A Boolean value that indicates whether a parent has said how it is recognized, or a machine
  /// has it installed.
  public var isRecognized: Bool
  /// What became of its rules; `nil` if it was not reset.
  public var reset: Reset?
}
