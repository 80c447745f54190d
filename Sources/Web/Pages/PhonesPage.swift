import LatchkeyModel
import LatchkeyNode

/// The page about phones that were let in, and how to let in another one.
///
/// It is only on this machine.
enum PhonesPage {
  static let path = "/phones"
  /// The authority's certificate as a file, for mail, a messenger or a cable.
  static let filePath = "/phones/latchkey.crt"

  static let page = Page(path, whoMay: [.parent], in: .named("Phones"), template: template) { call in
    let browsers = try await call.node.ask(Endpoints.getBrowsers)
    return ("Phones", data(browsers, call.phones?.shown ?? PhoneDesk.Shown(), call.now))
  }

  static let template = """
    <h1>[[Phones]]</h1>
    <section id="phones-entry" data-live>
    {{#fault}}<p class="word fault">{{.}}</p>{{/fault}}
    {{#waiting}}
    <article class="card">
    <h2>[[Is it this phone?]]</h2>
    <p>[[A phone has brought the code. Look at it: it must show these two digits.]]</p>
    <p class="digits">{{digits}}</p>
    <p>{{from}}</p>
    <form method="post" action="/phones/answer"><input type="hidden" name="token" value="{{token}}">
    <input type="hidden" name="digits" value="{{digits}}">
    <div class="row">
    <label class="wide">[[What it is called]]<input name="label" maxlength="64" value="{{label}}"></label>
    <label>[[It may]]<select name="right"><option value="parent">[[do what a parent does]]</option>\
    <option value="look">[[only look]]</option></select></label>
    <button name="answer" value="yes">[[Yes, let it in]]</button>
    <button name="answer" value="no" class="quiet">[[No]]</button>
    </div></form></article>{{/waiting}}
    {{#isOpen}}
    <article class="card">
    <h2>[[1. Trust]]</h2>
    <p>[[Read this with the phone’s camera. It leads to the certificate of this computer, and to the steps that make the phone trust it.]]</p>
    <div class="beside">
    {{#trustCode}}\(QRPicture.drawing){{/trustCode}}
    <div>
    <p>{{#trustLink}}<code>{{.}}</code>{{/trustLink}}</p>
    <p>[[The phone shows the certificate’s SHA-256. It must begin with:]]</p>
    <p class="digits">{{comparison}}</p>
    <p class="word fault">[[If the digits differ, stop: something else in this network has answered in the place of this computer, such as another computer on the same Wi-Fi. Remove the certificate from the phone, and send it the file another way.]]</p>
    <p><a href="\(filePath)" download>[[The certificate as a file, for mail, a messenger or a cable]]</a></p>
    </div></div></article>
    <article class="card">
    <h2>[[2. Sign in]]</h2>
    {{#code}}
    <div class="beside">
    {{#drawing}}\(QRPicture.drawing){{/drawing}}
    <div>
    <p>[[Read this with the phone’s camera, or type the address and the code. It holds for a minute, for one phone.]]</p>
    <p><code>{{link}}</code></p>
    <p class="digits">{{text}}</p>
    {{#entries}}<p>[[Through your own proxy:]] <code>{{.}}</code></p>{{/entries}}
    </div></div>{{/code}}
    <form method="post" action="/phones/offer"><input type="hidden" name="token" value="{{token}}">
    <p><button>[[Show a sign-in code]]</button></p></form>
    </article>
    <form method="post" action="/phones/end"><input type="hidden" name="token" value="{{token}}">
    <p><button class="quiet">[[No more phones now]]</button></p></form>
    {{/isOpen}}
    {{^isOpen}}
    <form method="post" action="/phones/begin"><input type="hidden" name="token" value="{{token}}">
    <p><button>[[Let a phone in]]</button></p></form>
    {{/isOpen}}</section>
    <section id="phones-list" data-live>
    <h2>[[Phones that are let in]]</h2>
    {{^hasPhones}}<p>[[No phone is let in.]]</p>{{/hasPhones}}
    {{#hasPhones}}
    {{#link}}<p>[[They open the pages at]] <code>{{.}}</code></p>{{/link}}
    {{#proxies}}<p>[[Through your own proxy:]] <code>{{.}}</code></p>{{/proxies}}
    <ul class="plain">
    {{#phones}}
    <li class="row"><span class="wide"><strong>{{label}}</strong>, {{may}}, {{seen}}</span>
    <form method="post" action="/phones/remove"><input type="hidden" name="token" value="{{token}}">
    <input type="hidden" name="browser" value="{{id}}"><button class="quiet">[[Sign out]]</button></form></li>
    {{/phones}}</ul>
    <p>[[A lost phone is signed out here, at once. So that phones find the pages while nobody is logged in, run `systemctl --user enable --now latchkey-web` and `loginctl enable-linger` in a terminal.]]</p>
    {{/hasPhones}}</section>
    """

  static func data(_ browsers: [BrowserListing], _ shown: PhoneDesk.Shown, _ now: Int64) -> PageData {
    let clock = PageClock(now: now)
    var data = PageData(known: [
      "isOpen": shown.isOpen && shown.comparison != nil, "hasPhones": !browsers.isEmpty,
      "comparison": shown.comparison ?? "", "proxies": shown.hosts.map { "https://\($0)/" },
      "fault": fault(browsers, shown),
      "phones": browsers.map { browser -> PageData in
        [
          "id": browser.browserID, "label": browser.label,
          "may": browser.right == .parent ? Phrase("does what a parent does") : Phrase("only looks"),
          "seen": Phrase(
            "last seen {when} from {address}",
            ["when": .phrase(clock.ago(browser.lastSeen)), "address": .text(browser.address)]),
        ]
      },
      "waiting": shown.waiting.map { waiting -> PageData in
        [
          "digits": "\(waiting.digits)", "label": waiting.kind,
          "from": waiting.kind.isEmpty
            ? Phrase("It comes from {address}.", ["address": .text(waiting.address)])
            : Phrase(
              "It calls itself {kind}, and comes from {address}.",
              ["kind": .text(waiting.kind), "address": .text(waiting.address)]),
        ]
      },
    ])
    guard let place = shown.place, let address = shown.addresses.first else { return data }
    let trust = PhonePlace.link("http", address, place.trustPort) + PhonePages.trustPath.dropFirst()
    data["trustLink"] = trust
    let label = Phrase("Code for the camera")
    if let picture = QRCode(trust) { data["trustCode"] = QRPicture.data(picture, label: label) }
    let link = PhonePlace.link("https", address, place.port)
    data["link"] = link
    if let code = shown.code {
      let entry = link + EntryPages.path.dropFirst()
      var shownCode: PageData = [
        "text": code, "link": entry, "entries": shown.hosts.map { "https://\($0)\(EntryPages.path)" },
      ]
      if let picture = QRCode("\(entry)#\(code)") { shownCode["drawing"] = QRPicture.data(picture, label: label) }
      data["code"] = shownCode
    }
    return data
  }

  private static func fault(_ browsers: [BrowserListing], _ shown: PhoneDesk.Shown) -> Phrase? {
    if !browsers.isEmpty, shown.comparison == nil { return CertificateFolder.lost.phrase }
    guard shown.fault == nil, shown.isOpen, shown.addresses.isEmpty else { return shown.fault }
    return Phrase(
      "This computer has no address in a home’s network at present: connect it, and this goes on by itself.")
  }
}
