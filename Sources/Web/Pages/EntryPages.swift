import LatchkeyModel
import LatchkeyNode

/// The pages for browsers that are not let in, and for faults.
enum EntryPages {
  /// The path that takes one-time links.
  static let path = "/in"

  struct Fault: Sendable {
    var status: Int
    var sentence: Phrase
    /// The path of the page to go on with; `nil` to try the same page again.
    var back: String?

    init(_ status: Int, _ sentence: Phrase, back: String?) {
      (self.status, self.sentence, self.back) = (status, sentence, back)
    }

    /// Creates the fault for an error of the node, or of the connection to it.
    init(_ error: any Error, back: String?) {
      if let fault = error as? PageFault {
        self.init(fault.status, fault.sentence, back: back)
        return
      }
      guard let error = error as? LocalAPIError else {
        self.init(500, Phrase("Something went wrong in the pages themselves: try again."), back: back)
        return
      }
      self.init(error.code.status, error.phrase ?? Phrase(verbatim: error.message), back: back)
    }
  }

  private static let how: [String: Phrase.Argument] = [
    "how": .phrase(
      Phrase(
        """
        Open the pages of Latchkey from the menu of applications, or in a terminal: with “latchkey dashboard” as a parent, \
        with “latchkey me --web” as a child.
        """))
  ]
  static let overSentence = Phrase("This link was used already, or is over a minute old. {how}", how)
  static let unknownSentence = Phrase("This is no link of these pages. {how}", how)

  private static let faultTemplate = PageFrame.template(
    """
    <h1>{{title}}</h1>
    <p id="fault" class="word fault fault-text"{{#isPassing}} data-live{{/isPassing}}>{{sentence}}</p>
    {{#back}}<p><a href="{{.}}">[[Go on]]</a></p>{{/back}}
    """)

  private static let buttonTemplate = PageFrame.template(
    """
    <h1>[[Open Latchkey]]</h1>
    <form method="post" action="\(path)"><input type="hidden" name="link" value="{{link}}"><input type="hidden" name="page" value="{{page}}"><button>[[Open the pages]]</button></form>
    """)

  private static let welcomeTemplate = PageFrame.template(
    """
    <h1>Latchkey</h1>
    <p><a href="{{forward}}">[[Go on to the pages]]</a></p>
    """)

  static func bare(_ title: Phrase) -> PageData {
    ["title": title, "assets": Assets.all.paths, "hasNavigation": false]
  }

  static func page(_ fault: Fault, _ frame: PageData) -> WebAnswer {
    var data = frame
    data["sentence"] = fault.sentence
    // The page's script asks again, so that the requested page appears by itself once it is
    // possible.
    data["isPassing"] = fault.back == nil && fault.status >= 500
    if let back = fault.back { data["back"] = back }
    return .page(faultTemplate, data, status: fault.status)
  }

  /// Returns the page about a fault for a browser that is not let in.
  static func fault(_ status: Int, _ sentence: Phrase) -> WebAnswer {
    page(Fault(status, sentence, back: nil), bare("Not done"))
  }

  static var signedOut: WebAnswer { fault(401, Phrase("You are not signed in here. {how}", how)) }
  static var malformed: WebAnswer {
    fault(400, "The form is malformed: go back, load the page again and send it once more.")
  }
  /// The refusal of a method other than GET and POST.
  static var otherMethod: WebAnswer {
    var answer = fault(405, "Nothing can be done in this way here: go back and load the page again.")
    answer.headers.append(("Allow", "GET, POST"))
    return answer
  }
  static var otherSite: WebAnswer {
    fault(
      403,
      """
      Nothing was changed, because this did not come from a page of Latchkey: go back, load the page again and send it once \
      more.
      """)
  }
  static var left: WebAnswer {
    page(Fault(200, Phrase("You are signed out. {how}", how), back: nil), bare("Signed out"))
  }

  /// The refusal of a host name that is not the pages' own.
  ///
  /// It does not show that name.
  static var otherName: WebAnswer {
    fault(
      421,
      Phrase(
        """
        These pages answer to their own name alone, so that no other site can reach them under one of its own. {how} Through a \
        tunnel from another machine, give both ends the same port, and use the address that “latchkey dashboard --print” \
        writes. A proxy of your own leads to the pages for phones instead, under a name that `latchkey web hosts add NAME` \
        allows.
        """, how))
  }

  static func button(link: String, page: String) -> WebAnswer {
    .page(buttonTemplate, bare("Open").merging(["link": link, "page": page]) { $1 })
  }

  /// Returns the page for a browser that was let in.
  ///
  /// The page leads on by itself.
  static func welcome(_ page: String) -> WebAnswer {
    .page(welcomeTemplate, bare("Open").merging(["forward": page]) { $1 })
  }
}

/// A refusal by a page or form itself, without the node.
struct PageFault: Error {
  var status: Int
  var sentence: Phrase

  init(_ status: Int, _ sentence: Phrase) { (self.status, self.sentence) = (status, sentence) }
}
