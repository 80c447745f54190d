/// The reason why nothing can be measured.
struct BenchFault: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
