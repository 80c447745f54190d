import LatchkeyModel

/// The pages that a phone sees before it is let in.
enum PhonePages {
  static let waitPath = "/wait"
  static let trustPath = "/trust"
  static let authorityPath = "/trust/latchkey.crt"

  /// Returns the kind of phone that a browser says it is on: an iPhone or an Android.
  static func kind(_ userAgent: String?) -> String {
    let text = userAgent ?? ""
    return ["iPhone", "iPad", "Android"].first { text.contains($0) } ?? ""
  }

  private static let codeTemplate = PageFrame.template(
    """
    <h1>[[Sign in]]</h1>
    <p>[[On the computer, open Latchkey’s page “Phones” and press “Show a sign-in code”. Then type the code that it shows, or read it with the camera.]]</p>
    <form method="post" action="\(EntryPages.path)" id="code-form">
    <label>[[Code]]<input name="code" id="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="40"></label>
    <p><button>[[Sign in]]</button></p>
    </form>
    <p>[[If the browser ever warns of this page’s certificate, do not go on: somebody else may answer in the computer’s place. Ask the parent at the computer.]]</p>
    """)

  private static let waitTemplate = PageFrame.template(
    """
    <h1>[[Is it this phone?]]</h1>
    <p>[[The computer shows two digits. They must be these:]]</p>
    <p class="digits">{{digits}}</p>
    <p role="status">[[Press “Yes” on the computer. This page goes on by itself.]]</p>
    """)

  private static let trustTemplate = PageFrame.template(
    """
    <h1>[[Trust the computer]]</h1>
    <p>[[This phone has to know the computer’s own certificate, which can speak for addresses in the home alone.]]</p>
    <p><a class="button" href="\(authorityPath)">[[Load the certificate]]</a></p>
    <h2>[[iPhone and iPad]]</h2>
    <ol>
    <li>[[Load it with Safari, and allow the download.]]</li>
    <li>[[Open Settings, then “Profile Downloaded”, then “More Details” and the certificate. Its SHA-256 must begin with the digits on the computer’s screen. If it does not, press “Remove”, and stop.]]</li>
    <li>[[Install the profile.]]</li>
    <li>[[Open Settings, General, About, “Certificate Trust Settings”, and turn Latchkey on.]]</li>
    </ol>
    <h2>[[Android]]</h2>
    <ol>
    <li>[[Load it, open Settings, and search there for “CA certificate”. Choose the file that was loaded.]]</li>
    <li>[[In the settings, search for “Trusted credentials”, and open “User” and Latchkey. Its SHA-256 must begin with the digits on the computer’s screen. If it does not, remove it at once, and stop.]]</li>
    </ol>
    <p class="word fault">[[If the digits differ, something else in this network has answered in the computer’s place. Nothing may be opened with that certificate. Say so at the computer.]]</p>
    <p>[[Then go on at the computer, which shows the code to sign in.]]</p>
    """)

  private static let faultTemplate = PageFrame.template(
    """
    <h1>{{title}}</h1>
    <p class="word fault fault-text">{{sentence}}</p>
    {{#mayType}}<p><a href="\(EntryPages.path)">[[Type a code]]</a></p>{{/mayType}}
    """)

  private static func fault(_ status: Int, _ sentence: Phrase, mayType: Bool = false) -> WebAnswer {
    .page(
      faultTemplate, EntryPages.bare("Not done").merging(["sentence": sentence, "mayType": mayType]) { $1 },
      status: status)
  }

  static var code: WebAnswer { .page(codeTemplate, EntryPages.bare("Sign in")) }

  /// Returns the page of a phone that waits.
  ///
  /// The page asks for itself again.
  static func waiting(_ digits: Int) -> WebAnswer {
    .page(
      waitTemplate, EntryPages.bare("Is it this phone?").merging(["digits": "\(digits)", "again": waitPath]) { $1 })
  }

  static var trust: WebAnswer { .page(trustTemplate, EntryPages.bare("Trust the computer")) }

  /// Returns the authority's certificate, for installing, or for saving as a file and sending on.
  static func certificate(_ authority: CertificateFolder.Authority, isSaved: Bool) -> WebAnswer {
    let type = isSaved ? "application/octet-stream" : "application/x-x509-ca-cert"
    // An iPhone would save an attachment as a file, and not offer to install it.
    let saved = isSaved ? [("Content-Disposition", "attachment; filename=\"latchkey.crt\"")] : []
    return WebAnswer(200, [("Content-Type", type), ("Cache-Control", "no-store")] + saved, body: .bytes(authority.der))
  }

  static var signedOut: WebAnswer {
    fault(
      401, "This phone is not signed in: on the computer, open Latchkey’s page “Phones” and show a sign-in code.",
      mayType: true)
  }
  static var codeOver: WebAnswer {
    fault(410, "This code was used already, or is over a minute old: show a new one on the computer.", mayType: true)
  }
  static var codeUnknown: WebAnswer {
    fault(403, "This is not the code that the computer shows: compare it, and type it again.", mayType: true)
  }
  static var notLetIn: WebAnswer {
    fault(403, "This phone was not let in: nobody has pressed “Yes” on the computer in time.", mayType: true)
  }
  static var otherName: WebAnswer {
    fault(
      421,
      """
      These pages answer to the address of this computer alone: open the address that its page “Phones” shows. A name of \
      your own proxy is allowed on the computer by `latchkey web hosts add NAME`.
      """)
  }
  static var otherTrustName: WebAnswer {
    fault(
      421, "The certificate is given at the address that the page “Phones” of this computer shows, and at no other.")
  }
  static var closed: WebAnswer {
    fault(
      404, "No phone is being let in now: open Latchkey’s page “Phones” on the computer, and press “Let a phone in”.")
  }
  static var nothingElse: WebAnswer {
    fault(
      404, "Here is nothing but the computer’s certificate: the pages themselves open after that, and never without it."
    )
  }
  static var leftPhone: WebAnswer {
    fault(200, "This phone is signed out. To sign in again, show a code on the computer’s page “Phones”.")
  }
}

extension EntryPages { static var leftPhone: WebAnswer { PhonePages.leftPhone } }
