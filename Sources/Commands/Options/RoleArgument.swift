import ArgumentParser
import LatchkeyModel

/// A device's role as an argument.
enum RoleArgument: String, ExpressibleByArgument, CaseIterable, Sendable {
  case parent
  case child

  var role: DeviceRole {
    switch self {
    case .parent: .parent
    case .child: .child
    }
  }
}
