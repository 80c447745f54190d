/// Why the folder of a socket could not be opened: an `errno`.
struct SocketPathError: Error, Hashable, Sendable {
  var errorNumber: Int32
}
