import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import Logging

@testable import LatchkeyNode

/// A real node whose parts do not run; on a child's machine with the registers that a parent would
/// have sent.
///
/// Each child has a blocked application called “game”.
struct HomeNode: Sendable {
  let folder: String
  let children: [ChildID]
  private let running: RunningNode

  static func with(
    role: DeviceRole = .child, children names: [String], _ body: (HomeNode) async throws -> Void
  ) async throws {
    try await TemporaryFolder.with { folder in
      _ = try await NodeFolder.initialise(StateFolder(path: folder), role: role, name: "Family PC")
      let running = try await RunningNode(
        configuration: NodeConfiguration(stateFolder: folder, interfaces: ["lo"], discovers: false),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      defer { running.close() }
      let children = (0..<names.count).compactMap { ChildID(bytes: [UInt8](repeating: UInt8($0 + 1), count: 16)) }
      let (context, parent) = (running.service.context, SampleValues.parentID)
      let modified = HybridTimestamp(wall: context.wall(), counter: 0, author: parent)
      var registers = [Register(.family, "family/zone", "UTC", modified: modified)]
      registers.append(Register(.family, "limits/daily", "90", modified: modified))
      for (child, name) in zip(children, names) {
        registers.append(Register(.machine(context.own), HouseholdKey.child(child), "yes", modified: modified))
        registers.append(Register(.child(child), HouseholdKey.name, name, modified: modified))
        registers.append(Register(.child(child), "app/game/blocked", "yes", modified: modified))
      }
      let held = role == .child ? registers : []
      _ = try await context.store.act(context.editMaker, at: context.wall()) { effects, _ -> (Bool, ActOrders) in
        for register in held { try effects.save(register) }
        return (true, .none)
      }
      try await body(HomeNode(folder: folder, children: children, running: running))
    }
  }

  /// The parts of the node.
  var service: NodeService { running.service }

  /// Keeps registers as if a parent had set them.
  func save(_ registers: [Register]) async throws {
    let context = service.context
    _ = try await context.store.act(context.editMaker, at: context.wall()) { effects, _ -> (Bool, ActOrders) in
      for register in registers { try effects.save(register) }
      return (true, .none)
    }
  }

  /// Returns the node by the rights of a caller.
  func node(_ caller: Caller) -> any NodeInterface { Call(running.service, caller: caller) }
}
