import LatchkeyModel

/// The applications that a child's machine has found on itself, as `GET /v1/installed` lists them.
package struct InstalledListing: Hashable, Sendable, Codable {
  /// An application.
  package struct App: Hashable, Sendable, Codable {
    package var appID: AppID
    package var displayName: String
    /// The version; empty if it is unknown.
    package var version: String
    /// The category that suggests itself; `nil` for none.
    package var suggestion: AppCategory?
    /// What is set for it, for each child whose machine it is.
    package var settings: [Setting]
  }

  /// What is set for an application of a child.
  package struct Setting: Hashable, Sendable, Codable {
    package var childName: DeviceName
    /// The category; `nil` if none is set.
    package var category: AppCategory?
    /// A Boolean value that indicates whether the category is a default, which no parent has set.
    package var isByDefault: Bool = false
    package var isBlocked: Bool = false
    package var isAlwaysAllowed: Bool = false
    /// The limit a day, as its rule is written; `nil` for none.
    package var limit: String?
  }

  package var deviceID: DeviceID
  package var deviceName: DeviceName
  package var children: [ChildID]
  /// When the list became known here, in Unix milliseconds; `nil` if the machine has not told of
  /// any.
  package var toldAt: Int64?
  /// The number of the list, which counts those of the machine; 0 for none, or while parts of one
  /// are on their way.
  package var number: UInt64 = 0
  /// The number of applications that were found beyond those of the list.
  package var more: Int = 0
  /// The applications, in the order of their IDs.
  package var apps: [App] = []
}
