/// The table of pages and forms.
enum PageTable {
  static let pages: [Page] =
    [
      TodayPage.page, MePage.page, ChildPage.page, ApplicationsPage.page, TimesPage.page, MachinesPage.page,
      ActivityPage.page, PhonesPage.page,
    ] + machines

  /// A page at a path without parameters stands before one that it also fits.
  private static let machines = [
    PairPage.page, PairingPage.page, MachinePage.page, SetupPage.page, RemovePage.page,
  ]

  static let downloads: [Download] = [ActivityPage.download, UseDownload.download]

  static let forms: [Form] =
    AnswerForm.all + ChildForms.all + ChildDayForms.all + PointsForms.all + ApplicationForms.all + TimesForms.all
    + PairingForms.all + SetupForms.all + MachineForms.all + OwnForms.all + PhoneForms.all

  /// Returns the page at a path for somebody, with the values of its parameters.
  ///
  /// - Parameters:
  ///   - path: The path of a request.
  ///   - viewer: Who asks.
  /// - Returns: The page; `nil` if there is none for that viewer.
  static func page(at path: String, for viewer: Viewer) -> (page: Page, parameters: [String: String])? {
    // What stands at a path for another viewer is not taken for a parameter of a later page.
    guard let first = pages.first(where: { $0.path.parameters(in: path) != nil })?.path,
      let page = pages.first(where: { $0.path == first && $0.whoMay.contains(viewer) })
    else { return nil }
    return first.parameters(in: path).map { (page, $0) }
  }

  /// Returns the file at a path for somebody, with the values of its parameters; `nil` if there is
  /// none for that viewer.
  static func download(at path: String, for viewer: Viewer) -> (file: Download, parameters: [String: String])? {
    for file in downloads where file.whoMay.contains(viewer) {
      if let parameters = file.path.parameters(in: path) { return (file, parameters) }
    }
    return nil
  }

  /// Returns whether anybody has a page or a file at a path.
  static func hasPage(at path: String) -> Bool {
    (pages.map(\.path) + downloads.map(\.path)).contains { $0.parameters(in: path) != nil }
  }

  /// Returns whether anybody has a form at a path.
  static func hasForm(at path: String) -> Bool { forms.contains { $0.path == path } }

  /// Returns the form at a path for somebody; `nil` if there is none.
  static func form(at path: String, for viewer: Viewer) -> Form? {
    forms.first { $0.path == path && $0.whoMay.contains(viewer) }
  }

  /// Returns the navigation of somebody, with the present page marked.
  static func navigation(for viewer: Viewer, at path: String) -> [PageData] {
    pages.compactMap { page in
      guard page.whoMay.contains(viewer), case .named(let name) = page.place else { return nil }
      return ["address": page.path.text, "name": name, "isCurrent": page.path.parameters(in: path) != nil]
    }
  }
}
