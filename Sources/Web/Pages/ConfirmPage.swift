import LatchkeyModel

/// The page that says in words what a form changes, before it is saved.
enum ConfirmPage {
  static let template = PageFrame.template(
    """
    <h1>{{heading}}</h1>
    <p>[[Nothing is saved yet.]]</p>
    <ul>{{#sentences}}<li>{{.}}</li>{{/sentences}}</ul>
    <form method="post" action="{{action}}">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="confirm" value="yes">
    {{#fields}}<input type="hidden" name="{{name}}" value="{{value}}">{{/fields}}
    <p class="row"><button>[[Save]]</button> <a href="{{back}}">[[Back without a change]]</a></p>
    </form>
    """)

  /// Returns the page.
  ///
  /// - Parameters:
  ///   - title: What is asked.
  ///   - sentences: What changes, and from when.
  ///   - action: The path of the form.
  ///   - fields: What the form sends again.
  ///   - back: The page to go back to.
  /// - Returns: The page.
  static func page(
    _ title: Phrase, _ sentences: [Phrase], action: String, fields: [(name: String, value: String)], back: String
  ) -> FormPage {
    FormPage(
      template: template, title: title,
      data: [
        "heading": title, "sentences": sentences, "action": action, "back": back,
        "fields": fields.map { ["name": $0.name, "value": $0.value] as PageData },
      ])
  }
}
