import ArgumentParser
import CStatic

/// The command `latchkey-bench conformances`: compares the table of conformances, with which
/// programs for release are linked, with Swift's runtime (`Sources/CStatic/conformances.c`).
///
/// It asks both about each conformance of a type that is not generic, about each such type and some
/// other protocols, and about types of other kinds and all protocols. Both must name the same
/// witness table, or none.
struct ConformancesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformances", abstract: "Compare the table of conformances with Swift's runtime.")

  @Option(help: "How many other protocols each type is asked about.") var others = 5

  private struct Question: Hashable {
    let type: UnsafeRawPointer
    let `protocol`: UnsafeRawPointer
  }

  func run() throws {
    let declared = Self.declared()
    // Otherwise, the list has not been found.
    guard declared.count > 5_000 else { throw BenchFault("The program has only \(declared.count) conformances.") }
    let types = Set(declared.map(\.type)).sorted()
    let protocols = Set(declared.map(\.protocol)).sorted()
    let others = types.enumerated().flatMap { index, type in
      (0..<self.others).map { Question(type: type, protocol: protocols[(index * 31 + $0 * 97) % protocols.count]) }
    }
    for type in Self.otherKinds.map({ unsafeBitCast($0, to: UnsafeRawPointer.self) }) {
      for `protocol` in protocols { _ = try Self.isAnswered(Question(type: type, protocol: `protocol`)) }
    }
    let answered = (try declared.filter(Self.isAnswered).count, try others.filter(Self.isAnswered).count)
    guard answered.0 > declared.count / 2, answered.1 > others.count / 2 else {
      throw BenchFault("The table answers only \(answered.0) and \(answered.1) questions.")
    }
    print(
      "The table answers \(answered.0) of \(declared.count) questions about conformances, and \(answered.1) of "
        + "\(others.count) others, as Swift's runtime does.")
  }

  private static func declared() -> [Question] {
    var questions: [Question] = []
    var (type, `protocol`): (UnsafeRawPointer?, UnsafeRawPointer?) = (nil, nil)
    var index = 0
    while latchkey_conformance_at(index, &type, &`protocol`) {
      if let type, let `protocol` { questions.append(Question(type: type, protocol: `protocol`)) }
      index += 1
    }
    return questions
  }

  /// Whether the table answers a question; if it does not, a program asks the runtime.
  private static func isAnswered(_ question: Question) throws -> Bool {
    var witnesses: UnsafeRawPointer?
    guard latchkey_conformance(question.type, question.protocol, &witnesses) else { return false }
    var runtimes: UnsafeRawPointer?
    guard latchkey_runtime_conformance(question.type, question.protocol, &runtimes) else {
      throw BenchFault("This program has no table. Build it with Tools/build-benchmarks -c release.")
    }
    guard runtimes == witnesses else {
      throw BenchFault("The table differs from Swift's runtime. See Sources/CStatic/conformances.c.")
    }
    return true
  }
}

extension ConformancesCommand {
  private struct Token: ~Copyable {}
  fileprivate struct Box<Content: ~Copyable> {}
  private class Base<Content> {}
  private final class Derived: Base<Int>, CustomStringConvertible { var description: String { "" } }

  private static let otherKinds: [Any.Type] = [
    [Int].self, Set<String>.self, String?.self, Range<Int>.self, [String: [Int]].Keys.self, [String: Int?].self,
    Result<Int, any Error>.self, Box<Token>.self, Box<Token?>.self, Box<Box<Token>>.self, Box<Int>.self, Box<Int?>.self,
    Base<Int>.self, Derived.self, UnsafePointer<Token>.self, UnsafePointer<Int>.self, (Int, String).self,
    (() -> Void).self, Any.self, (any Error).self, AnyObject.self, Int.Type.self,
  ]
}

/// It holds only for a box whose content can be copied.
extension ConformancesCommand.Box: CustomStringConvertible { var description: String { "" } }
