import FoundationEssentials
import LatchkeyModel
import LatchkeyNode

@testable import LatchkeyNode

/// The description of the local API as an OpenAPI 3.1 document, made from the table of endpoints.
///
/// `Tools/generate-openapi` keeps it as Protocol/local-api.json.
enum OpenAPIDocument {
  /// Returns the document's text, which is the same for the same endpoints.
  static func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    return String(decoding: try encoder.encode(try document()), as: UTF8.self) + "\n"
  }

  /// Returns the document.
  static func document() throws -> JSONValue {
    let book = SchemaBook()
    var paths: [String: [String: JSONValue]] = [:]
    for route in Endpoints.all.map(\.route) {
      paths[route.path.text, default: [:]][route.method.rawValue.lowercased()] = try operation(route, book)
    }
    _ = try book.schema(of: LocalAPIError.self)
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "Latchkey: the local API of a node", "version": "1",
        "description": .text(
          "HTTP/1.1 over the Unix socket `control.sock` of a node's state folder. Protocol/07-local-api.md says what "
            + "holds for all requests and what the values mean."),
      ],
      "servers": [["url": "http://localhost", "description": "The Unix socket; the name does not matter."]],
      "paths": .object(paths.mapValues { .object($0) }),
      "components": [
        "schemas": .object(book.components),
        "responses": ["Error": error("An error; the code says which.")],
      ],
    ]
  }

  private static func operation(_ route: Route, _ book: SchemaBook) throws -> JSONValue {
    var operation: [String: JSONValue] = [
      "operationId": .text(route.operationID), "summary": .text(route.summary),
      "responses": .object(try responses(route, book)),
      "x-latchkey-answer": .text(route.kind.rawValue),
      "x-latchkey-who-may": .list(route.whoMay.map(\.rawValue).sorted().map { .text($0) }),
    ]
    let parameters = try route.parts.compactMap { part -> JSONValue? in
      switch part.place {
      case .path(let name): parameter(name, "path", isRequired: true, part.summary, try schema(part.shape, book))
      case .query(let name): parameter(name, "query", isRequired: false, part.summary, try schema(part.shape, book))
      case .body: nil
      }
    }
    if !parameters.isEmpty { operation["parameters"] = .list(parameters) }
    if let body = route.parts.first(where: { $0.place == .body }) {
      operation["requestBody"] = [
        "required": true, "content": ["application/json": ["schema": try schema(body.shape, book)]],
      ]
    }
    return .object(operation)
  }

  private static func schema(_ shape: PartDescription.Shape, _ book: SchemaBook) throws -> JSONValue {
    switch shape {
    case .text(let minimumLength): .text(minimumLength: minimumLength)
    case .words(let words): .text(choices: words)
    case .integer(let minimum, let maximum, let usual): .integer(minimum: minimum, maximum: maximum, usual: usual)
    case .json(let type): try book.schema(of: type)
    }
  }

  private static func parameter(
    _ name: String, _ place: String, isRequired: Bool, _ summary: String, _ schema: JSONValue
  ) -> JSONValue {
    [
      "name": .text(name), "in": .text(place), "required": .boolean(isRequired), "description": .text(summary),
      "schema": schema,
    ]
  }

  /// The errors that every request can meet.
  private static let common: [LocalAPIError.Code] = [.invalid, .forbidden, .internal, .timeout, .storage]

  private static let anyError: JSONValue = ["$ref": "#/components/responses/Error"]

  private static func error(_ summary: String) -> JSONValue {
    [
      "description": .text(summary),
      "content": ["application/json": ["schema": ["$ref": "#/components/schemas/LocalAPIError"]]],
    ]
  }

  private static func responses(_ route: Route, _ book: SchemaBook) throws -> [String: JSONValue] {
    let schema = try book.schema(of: route.output)
    let (types, description) =
      switch route.kind {
      case .once, .longPoll: (["application/json"], "Done.")
      case .events: (["application/x-ndjson", "text/event-stream"], "A line for each event, of this form.")
      case .text: (["text/plain"], "The text.")
      }
    var responses: [String: JSONValue] = [
      String(route.status): [
        "description": .text(description),
        "content": .object(Dictionary(uniqueKeysWithValues: types.map { ($0, ["schema": schema]) })),
      ]
    ]
    for code in common { responses[String(ControlFailure(LocalAPIError(code, "")).status)] = anyError }
    if route.takesBody { (responses["413"], responses["415"]) = (anyError, anyError) }
    var codes: [Int: [String]] = [:]
    for code in route.errors {
      codes[ControlFailure(LocalAPIError(code, "")).status, default: []].append(code.rawValue)
    }
    for (status, words) in codes { responses[String(status)] = error(words.map { "`\($0)`" }.joined(separator: ", ")) }
    return responses
  }
}
