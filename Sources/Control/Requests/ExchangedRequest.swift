/// A request as an endpoint's client writes it.
package struct OutgoingRequest: Hashable, Sendable {
  package let method: Route.Method
  private let template: PathTemplate
  /// The texts that the parameters of the path stand for.
  var parameters: [String: String] = [:]
  var query: [String: String] = [:]
  /// JSON; `nil` for none.
  var body: [UInt8]?

  init(method: Route.Method, template: PathTemplate) {
    self.method = method
    self.template = template
  }

  /// The path and the query.
  package var target: RequestTarget { RequestTarget(segments: template.segments(parameters), query: query) }
}

/// A request as an endpoint of the server reads it, decoded.
package struct IncomingRequest: Hashable, Sendable {
  /// The texts that the parameters of the path stand for.
  package var parameters: [String: String]
  package var query: [String: String]
  /// Empty for an endpoint that takes none.
  package var body: [UInt8] = []

  package init(parameters: [String: String], query: [String: String], body: [UInt8] = []) {
    self.parameters = parameters
    self.query = query
    self.body = body
  }
}
