import LatchkeyModel
import LatchkeyNode

/// The kind of viewer of a page.
///
/// The node's role and the browser decide it.
enum Viewer: Hashable, Sendable {
  case parent
  case child
  /// A phone that a parent has let in.
  ///
  /// It sees a parent's pages, except those that let phones in, and pair, set up and remove
  /// machines.
  case phone
}

/// A page: its path, its viewers, its data, and its template.
///
/// A page is one file, and `PageTable` lists all.
///
/// Spec: Protocol/15-pages.md §4.
struct Page: Sendable {
  /// The page's entry in the navigation.
  enum Place: Hashable, Sendable {
    case named(Phrase)
    /// The page has no entry.
    ///
    /// Other pages lead to it.
    case none
  }

  let path: PagePath
  let whoMay: Set<Viewer>
  let place: Place
  let template: PageTemplate
  /// Asks the node, and returns the title and the data of the template.
  let read: @Sendable (PageCall) async throws -> (title: Phrase, data: PageData)

  init(
    _ path: String, whoMay: Set<Viewer>, in place: Place = .none, template: String,
    read: @escaping @Sendable (PageCall) async throws -> (title: Phrase, data: PageData)
  ) {
    (self.path, self.whoMay, self.place, self.read) = (PagePath(path), whoMay, place, read)
    self.template = PageFrame.template(template)
  }
}

/// A file that a page offers for download: its path, its viewers, and its content.
///
/// Spec: Protocol/15-pages.md §4.
struct Download: Sendable {
  let path: PagePath
  let whoMay: Set<Viewer>
  /// Asks the node, and returns the name of the file, in ASCII letters, and its text as CSV.
  let read: @Sendable (PageCall) async throws -> (name: String, text: String)

  init(
    _ path: String, whoMay: Set<Viewer>,
    read: @escaping @Sendable (PageCall) async throws -> (name: String, text: String)
  ) { (self.path, self.whoMay, self.read) = (PagePath(path), whoMay, read) }
}

struct PageCall: Sendable {
  var node: any NodeInterface
  var viewer: Viewer
  /// The values of the path's parameters.
  var parameters: [String: String] = [:]
  var query: FormFields
  /// The present, in Unix milliseconds.
  var now: Int64
  /// The codes of pairings that were begun on a page.
  var pairings = OpenPairings()
  /// The desk that lets phones in; `nil` on a phone.
  var phones: PhoneDesk?

  /// Returns the ID of the child that the path names.
  func child() throws(PageFault) -> String {
    guard let child = parameters["child"].flatMap({ ChildID($0) })?.description else { throw .noChild }
    return child
  }
}

extension PageFault {
  /// The fault of an address or a form that names no child.
  static let noChild = PageFault(404, "There is no such child: choose one on the first page.")
}

/// The path of a page or form.
///
/// A segment in braces is a parameter, which any segment fits.
struct PagePath: Hashable, Sendable {
  /// The path with the names of its parameters in braces.
  let text: String
  private let segments: [String]

  init(_ text: String) { (self.text, segments) = (text, text.split(separator: "/").map(String.init)) }

  /// Returns the values of the parameters in a path; `nil` if the path does not fit.
  func parameters(in path: String) -> [String: String]? {
    guard path.hasPrefix("/") else { return nil }
    let given = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let parts = path == "/" ? [] : given
    guard parts.count == segments.count else { return nil }
    var found: [String: String] = [:]
    for (segment, part) in zip(segments, parts) {
      if segment.hasPrefix("{") {
        guard Self.isID(part) else { return nil }
        found[String(segment.dropFirst().dropLast())] = part
      } else if segment != part {
        return nil
      }
    }
    return found
  }

  /// Returns whether a text is an ID.
  ///
  /// Paths contain only IDs, which need no escape.
  static func isID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0 == 0x2D || $0.isLetterOrDigit }
  }
}

/// The table of pages and forms.
enum PageTable {
  static let pages: [Page] =
    [
      TodayPage.page, MePage.page, ChildPage.page, ApplicationsPage.page, TimesPage.page, MachinesPage.page,
      ActivityPage.page, PhonesPage.page,
    ] + machines

  /// A page whose path has no parameters comes before a page whose pattern also fits that path.
  private static let machines = [PairPage.page, PairingPage.page, MachinePage.page, SetupPage.page, RemovePage.page]

  private static let downloads: [Download] = [ActivityPage.download, UseDownload.download]

  static let forms: [Form] =
    AnswerForm.all + ChildForms.all + ChildDayForms.all + PointsForms.all + ApplicationForms.all + TimesForms.all
    + PairingForms.all + SetupForms.all + MachineForms.all + OwnForms.all + PhoneForms.all

  /// Returns the page at a path for a viewer, with the values of its parameters; `nil` if there is
  /// none.
  static func page(at path: String, for viewer: Viewer) -> (page: Page, parameters: [String: String])? {
    // The path of another viewer's page is not read as a parameter of a later page.
    guard let first = pages.first(where: { $0.path.parameters(in: path) != nil })?.path,
      let page = pages.first(where: { $0.path == first && $0.whoMay.contains(viewer) })
    else { return nil }
    return first.parameters(in: path).map { (page, $0) }
  }

  /// Returns the file at a path for a viewer, with the values of its parameters; `nil` if there is
  /// none.
  static func download(at path: String, for viewer: Viewer) -> (file: Download, parameters: [String: String])? {
    for file in downloads where file.whoMay.contains(viewer) {
      if let parameters = file.path.parameters(in: path) { return (file, parameters) }
    }
    return nil
  }

  static func hasPage(at path: String) -> Bool {
    (pages.map(\.path) + downloads.map(\.path)).contains { $0.parameters(in: path) != nil }
  }

  static func hasForm(at path: String) -> Bool { forms.contains { $0.path == path } }

  static func form(at path: String, for viewer: Viewer) -> Form? {
    forms.first { $0.path == path && $0.whoMay.contains(viewer) }
  }

  /// Returns the navigation for a viewer, with the present page marked.
  static func navigation(for viewer: Viewer, at path: String) -> [PageData] {
    pages.compactMap { page in
      guard page.whoMay.contains(viewer), case .named(let name) = page.place else { return nil }
      return ["address": page.path.text, "name": name, "isCurrent": page.path.parameters(in: path) != nil]
    }
  }
}
