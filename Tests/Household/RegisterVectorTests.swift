import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeySimulation
import Testing

/// Tests with the results of an independent implementation: Protocol/vectors/registers.json.
@Suite struct RegisterVectorTests {
  private struct File: Decodable {
    struct Entry: Decodable {
      struct Time: Decodable {
        let wall: Int64
        let counter: UInt32
        let author: String
      }
      let zone: UInt8
      let zoneID: String
      let key: String
      let value: String?
      let modified: Time
    }
    struct Merge: Decodable {
      let edits: [Entry]
      let held: [Entry]
    }
    struct Edit: Decodable {
      let before: [Entry]
      let author: String
      let edit: [Entry]
      let outcome: String
      let state: [Entry]?
      let after: [Entry]
    }
    let merge: [Merge]
    let machine: String
    let edits: [Edit]
  }

  private let file: File

  init() throws {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    let bytes = try Data(contentsOf: folder.appendingPathComponent("Protocol/vectors/registers.json"))
    file = try JSONDecoder().decode(File.self, from: bytes)
  }

  private func device(_ text: String) throws -> DeviceID {
    let bytes = try #require(Hexadecimal.decode(text))
    return try #require(DeviceID(bytes: bytes))
  }

  private func register(_ entry: File.Entry) throws -> Register {
    let id = try #require(Hexadecimal.decode(entry.zoneID))
    return Register(
      try #require(Zone(form: entry.zone, id: id)), try #require(RegisterKey(entry.key)), entry.value,
      modified: HybridTimestamp(
        wall: entry.modified.wall, counter: entry.modified.counter, author: try device(entry.modified.author)))
  }

  @Test func mergesAreThoseOfTheVectors() throws {
    #expect(file.merge.count > 10)
    for vector in file.merge {
      let edits = try vector.edits.map(register)
      for order in [edits, edits.reversed(), edits + edits] {
        #expect(RegisterMap(order).registers == (try vector.held.map(register)))
      }
    }
  }

  @Test func editsAreThoseOfTheVectors() throws {
    let own = try device(file.machine)
    #expect(Set(file.edits.map(\.outcome)) == ["executed", "superseded", "failed"])
    for (number, vector) in file.edits.enumerated() {
      var holdings = ModelHoldings(own: own)
      for entry in vector.before { try holdings.save(try register(entry)) }
      let edit = Edit(try vector.edit.map(register))
      let state = try vector.state?.map(register)
      let context = CommandContext(
        commandID: CommandID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10)),
        author: try device(vector.author), createdAt: 1)
      let outcome = try? edit.execute(context, in: &holdings)
      switch vector.outcome {
      case "executed": #expect(outcome == state.map { .done(Self.held($0)) }, "edit \(number)")
      case "superseded": #expect(outcome == state.map { .superseded(Self.held($0)) }, "edit \(number)")
      default: #expect(outcome == nil, "edit \(number)")
      }
      #expect(RegisterMap(holdings.registers.values).registers == (try vector.after.map(register)), "edit \(number)")
    }
  }

  private static func held(_ registers: [Register]) -> StateInForce {
    StateInForce(RegistersInForce(registers, .recorded))
  }
}
