/// The reason why the lab failed.
struct LabFault: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}
