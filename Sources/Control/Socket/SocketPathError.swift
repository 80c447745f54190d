/// The reason why the folder of a socket could not be opened, as an `errno`.
struct SocketPathError: Error, Hashable, Sendable {
  var errorNumber: Int32
}
