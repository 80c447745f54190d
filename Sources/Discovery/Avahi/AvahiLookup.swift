/// Something that is looked for through Avahi: instances of a type, where an instance leads, or the records of a name.
final class AvahiLookup<Found>: Lookup {
  /// The responder that performs the search.
  let responder: AvahiResponder
  /// Called for everything that is found.
  let report: (Found) -> Void
  private let free: (OpaquePointer) -> CInt
  private var raw: OpaquePointer?

  /// Begins to look.
  ///
  /// - Parameters:
  ///   - responder: What to look through.
  ///   - free: Frees what `make` returned.
  ///   - report: Called for everything that is found, from inside Avahi's own call-back.
  ///   - make: Makes Avahi's object from the connection and the context for its call-back, which `of` turns back.
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
