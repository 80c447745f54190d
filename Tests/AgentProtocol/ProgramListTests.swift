import Foundation
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of the lists of programs, and of what arguments name, against an independent
/// implementation: Protocol/vectors/programs.json.
@Suite struct ProgramListTests {
  private struct Vectors: Decodable {
    struct Name: Decodable {
      let name: String
      let isInterpreter, isLoader, runsAnything: Bool
    }
    struct Loaded: Decodable {
      let arguments: [String]
      let place: Int?
    }
    struct Inside: Decodable {
      let name: String
      let arguments, files: [String]
    }
    struct Line: Decodable {
      let name: String
      let arguments: [String]
      let script: String?
      let certain: String?
      let folder: String
      let places: [String]
    }

    let needed, shells, otherShells, desktops, packages, opening, interpreters, running, folders: [String]
    let further, loaderOptions, loaderSwitches: [String]
    let names: [Name]
    let loaded: [Loaded]
    let inside: [Inside]
    let links: [String: String]
    let arguments: [Line]
  }

  private func vectors() throws -> Vectors {
    let path = URL(filePath: #filePath).appending(path: "../../../Protocol/vectors/programs.json").standardized
    return try JSONDecoder().decode(Vectors.self, from: try Data(contentsOf: path))
  }

  @Test("The lists of the sources are those of the vectors")
  func lists() throws {
    let vectors = try vectors()
    for (name, listed, known) in [
      ("needed", vectors.needed, NeededPrograms.names), ("shells", vectors.shells, NeededPrograms.shells),
      ("otherShells", vectors.otherShells, NeededPrograms.otherShells),
      ("desktops", vectors.desktops, NeededPrograms.ofDesktops),
      ("packages", vectors.packages, NeededPrograms.packages),
      ("opening", vectors.opening, OpeningPrograms.names),
      ("interpreters", vectors.interpreters, ScriptInterpreters.names),
      ("running", vectors.running, ScriptInterpreters.running),
      ("folders", vectors.folders, OtherPrograms.shared),
      ("further", vectors.further, ScriptInterpreters.furtherRunners),
      ("loaderOptions", vectors.loaderOptions, ScriptInterpreters.loaderOptions),
      ("loaderSwitches", vectors.loaderSwitches, ScriptInterpreters.loaderSwitches),
    ] as [(String, [String], Set<String>)] {
      let others = Set(listed).symmetricDifference(known)
      #expect(others.isEmpty, "\(name): \(others.sorted())")
    }
  }

  @Test("What is an interpreter, and what arguments name, is what the vectors say")
  func arguments() throws {
    let vectors = try vectors()
    for one in vectors.names {
      #expect(ScriptInterpreters.contains(one.name) == one.isInterpreter, "\(one.name)")
      #expect(ScriptInterpreters.isLoader(one.name) == one.isLoader, "\(one.name)")
      #expect(ScriptInterpreters.runsAnything(one.name) == one.runsAnything, "\(one.name)")
    }
    for one in vectors.loaded {
      #expect(ScriptInterpreters.placeOfLoaded(in: one.arguments) == one.place, "\(one)")
    }
    for one in vectors.inside {
      #expect(ScriptInterpreters.filesInside(one.arguments, of: one.name) == one.files, "\(one)")
    }
    for line in vectors.arguments {
      #expect(ScriptInterpreters.script(in: line.arguments, of: line.name) == line.script, "\(line)")
      let certain = ScriptInterpreters.certainFile(in: line.arguments, of: line.name)
      #expect(
        certain.flatMap { ScriptInterpreters.certainPlace(of: $0, from: line.folder) } == line.certain, "\(line)")
      let found = ScriptInterpreters.places(in: line.arguments) { name in
        switch name {
        case "self/cwd": .path(line.folder)
        case "self/root": .path("/")
        default: vectors.links[name].map { .path($0) } ?? .none
        }
      }
      #expect(found.paths == line.places && !found.isCut, "\(line)")
    }
  }
}
