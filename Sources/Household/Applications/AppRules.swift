import LatchkeyModel

/// The rules of one application, which commands set and remove.
struct AppRules: HouseholdThing {
  let id: AppID

  var key: String { Self.key(id) }
  var isFamilyWide: Bool { false }

  static func key(_ id: AppID) -> String { "app:" + id.text }

  /// Returns the application that a key names; `nil` for the key of something else.
  static func id(_ key: String) -> AppID? { key.hasPrefix("app:") ? AppID(String(key.dropFirst(4))) : nil }

  func held(in transaction: inout some EffectTransaction) throws -> StateInForce? {
    if let app = try transaction.app(id, on: transaction.own) {
      return .app(app.configuration, transaction.enforcement)
    }
    return try transaction.removal(of: id).map { .appRemoved(id, modified: $0) }
  }

  func hold(_ state: StateInForce, in transaction: inout some EffectTransaction) throws {
    if let app = state.as(AppInForce.self) {
      try transaction.forgetRemoval(of: id)
      try transaction.save(
        app.configuration, on: transaction.own, enforcement: transaction.enforcement, isNews: true)
    } else if let removed = state.as(AppRemoved.self) {
      try transaction.noteRemoval(of: id, removed.modified)
      try transaction.removeApp(id, on: transaction.own)
    }
  }

  func shown(on device: DeviceID, in transaction: inout some EffectTransaction) throws -> ShownState {
    guard let app = try transaction.app(id, on: device) else { return ShownState(nil) }
    return ShownState(.app(app.configuration, .recorded), app.enforcement)
  }

  func show(
    _ shown: ShownState, on device: DeviceID, isNews: Bool, in transaction: inout some EffectTransaction
  ) throws {
    guard let app = shown.state?.as(AppInForce.self) else { return try transaction.removeApp(id, on: device) }
    try transaction.save(app.configuration, on: device, enforcement: shown.enforcement, isNews: isNews)
  }
}
