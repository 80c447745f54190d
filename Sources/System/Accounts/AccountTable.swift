import Glibc

/// The lookup of single entries in the system's tables of users and groups.
enum AccountTable {
  /// Returns a part of an entry; `nil` if there is no such entry, or if it is larger than 1 MiB.
  ///
  /// The entry's text is in memory that belongs to this call, since all threads share the memory of
  /// `getpwuid`.
  static func entry<Entry, Part>(
    _ empty: Entry,
    read: (
      UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
    ) -> CInt, take: (Entry) -> Part
  ) -> Part? {
    var entry = empty
    for size in [4_096, 65_536, 1_048_576] {
      var text = [CChar](repeating: 0, count: size)
      var found: UnsafeMutablePointer<Entry>?
      let (code, part) = text.withUnsafeMutableBufferPointer { text -> (CInt, Part?) in
        let code = read(&entry, text.baseAddress!, size, &found)
        return (code, code == 0 && found != nil ? take(entry) : nil)
      }
      if code != ERANGE { return part }
    }
    return nil
  }
}
