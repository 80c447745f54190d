/// A search through Avahi: for the instances of a type, the host and port of an instance, or the
/// records of a name.
final class AvahiLookup<Found>: Lookup {
  let responder: AvahiResponder
  /// Called for each result.
  let report: (Found) -> Void
  private let free: (OpaquePointer) -> CInt
  private var raw: OpaquePointer?

  /// Begins the search.
  ///
  /// - Parameters:
  ///   - responder: The responder to search with.
  ///   - free: Frees the object that `make` returned.
  ///   - report: Called for each result, from inside Avahi's own callback.
  ///   - make: Creates Avahi's object from the connection and the callback's context, which `of`
  ///     converts back.
  /// - Throws: `AvahiError` if the connection is closed or Avahi refuses.
  init(
    responder: AvahiResponder, free: @escaping (OpaquePointer) -> CInt, report: @escaping (Found) -> Void,
    make: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
  ) throws(AvahiError) {
    self.responder = responder
    self.free = free
    self.report = report
    let connection = try responder.open()
    guard let made = make(connection, Unmanaged.passUnretained(self).toOpaque()) else { throw responder.failure() }
    raw = made
  }

  deinit {
    close()
  }

  /// Returns the lookup behind the context of a call-back.
  static func of(_ context: UnsafeMutableRawPointer) -> AvahiLookup<Found> {
    Unmanaged<AvahiLookup<Found>>.fromOpaque(context).takeUnretainedValue()
  }

  func close() {
    guard let raw else { return }
    self.raw = nil
    // A closed connection has freed this already.
    if responder.connection != nil { responder.note(free(raw)) }
  }
}
