import LatchkeyModel

/// A device that was renamed.
public struct RenameResult: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  /// The device's name after the change.
  public var name: DeviceName
  /// The name of the child whose machine it is; `nil` for no child.
  public var childName: String?
  /// A Boolean value that indicates whether the device is the node's own.
  public var isOwn: Bool
  /// The names of the devices that will hear of the change in their next session.
  public var untold: [DeviceName]
  /// The log-in names of the device's accounts that were a child's and are no child's any more,
  /// since it is not that child's device any more.
  public var unassigned: [String] = []

  /// Returns what was changed, in sentences.
  ///
  /// - Parameter isRenamed: Whether the device got another name, and not another owner.
  /// - Returns: The sentences in their order.
  package func phrases(isRenamed: Bool) -> [Phrase] {
    let machine = name.quotation
    var phrases: [Phrase] = []
    if !isRenamed {
      phrases.append(
        childName.map {
          Phrase("{machine} belongs to {child} now.", ["machine": machine, "child": .text(PrintableText.of($0))])
        } ?? Phrase("{machine} belongs to no child now.", ["machine": machine]))
    } else if isOwn {
      phrases.append(Phrase("This machine is called {machine} now.", ["machine": machine]))
      let names = Phrase.Argument.list(untold.map { $0.quotation })
      if !untold.isEmpty {
        phrases.append(Phrase("{machines} will hear of it when next in touch.", ["machines": names]))
      }
    } else {
      phrases.append(Phrase("It is called {machine} now.", ["machine": machine]))
      if !untold.isEmpty { phrases.append(Phrase("The machine itself will hear of it when next in touch.")) }
    }
    if let first = unassigned.first {
      phrases.append(
        Phrase(
          one: """
            The account {accounts} there is no child's any more: say whose it is with `latchkey accounts assign`.
            """,
          other: """
            The accounts {accounts} there are no child's any more: say whose they are with `latchkey accounts assign`.
            """,
          count: unassigned.count,
          [
            "accounts": unassigned.count == 1
              ? .text(PrintableText.of(first)) : .list(unassigned.map { .text(PrintableText.of($0)) })
          ]))
    }
    return phrases
  }
}

/// The answer to `DELETE /v1/devices/{device}` and `POST /v1/devices/{device}/forget`: the result
/// of a removal.
package struct UnpairResult: Hashable, Sendable, Codable {
  package var device: RegisteredDevice
  /// A Boolean value that indicates whether the other machine was told in an open session.
  ///
  /// If not, it is told in its next session, unless it was forgotten.
  package var wasTold: Bool
  /// The number of commands for the device that had not been executed and are now cancelled.
  package var cancelledCommands: Int
  /// The IDs of the first `UnpairResult.namedCommands` of those commands, oldest first.
  package var cancelled: [CommandID] = []
  /// The number of usage records and receipts that are no longer queued for the device; records
  /// remain in this device's history.
  package var droppedItems: Int = 0

  /// The largest number of commands that are listed.
  package static let namedCommands = 100

  /// The question before a device is removed, with what is lost.
  package static func question(_ device: RegisteredDevice) -> Phrase {
    let name = ["machine": device.name.quotation]
    return device.role == .parent
      ? Phrase(
        """
        Remove the parent's machine {machine}? It is told when, can set nothing here any more, and only a new pairing \
        brings it back.
        """, name)
      : Phrase(
        """
        Remove {machine} from the family? The last rules stay in force there, and only a new pairing brings it back.
        """, name)
  }

  /// What was removed with the device, in sentences; none if nothing waited for it.
  package var closed: [Phrase] {
    var phrases: [Phrase] = []
    if cancelledCommands > 0 {
      phrases.append(
        Phrase(
          one: "{count} command for it will not be executed; see `latchkey commands list`.",
          other: "{count} commands for it will not be executed; see `latchkey commands list`.",
          count: cancelledCommands))
    }
    if droppedItems > 0 {
      phrases.append(
        Phrase(
          one: "{count} record that waited for it will not be sent.",
          other: "{count} records that waited for it will not be sent.", count: droppedItems))
    }
    return phrases
  }

  /// What was done, in sentences, for a device that was not forgotten.
  package var phrases: [Phrase] {
    let name = ["machine": device.name.quotation]
    let told: Phrase =
      wasTold
      ? Phrase("{machine} is removed. It has been told.", name)
      : Phrase("{machine} is removed. It is told when it next calls.", name)
    return [told] + closed
  }
}

/// A setting of this machine's that it had lost and has taken over again from a child's machine.
package struct AdoptedSetting: Hashable, Sendable, Codable {
  package var key: RegisterKey
  /// The value, in the form that is stored; `nil` if the register was deleted.
  package var value: String?
  package var words: String
}
