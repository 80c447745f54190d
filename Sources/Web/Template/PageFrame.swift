/// What stands around the content of every page.
enum PageFrame {
  /// Returns the template of a page.
  ///
  /// - Parameter content: The template of what is the page's own.
  /// - Returns: The whole template.
  static func template(_ content: String) -> PageTemplate { PageTemplate(before + content + after) }

  private static let before = """
    <!DOCTYPE html>
    <html lang="{{language}}">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{{title}} – Latchkey</title>
    <link rel="icon" href="{{assets.icon}}" type="image/svg+xml">
    <link rel="stylesheet" href="{{assets.style}}">
    <script src="{{assets.script}}" defer></script>
    {{#forward}}<meta http-equiv="refresh" content="0; url={{.}}">{{/forward}}
    {{#again}}<meta http-equiv="refresh" content="2; url={{.}}">{{/again}}
    </head>
    <body{{#isLooking}} class="looking"{{/isLooking}}>
    <a class="skip" href="#main">[[Skip to the content]]</a>
    <header>
    <p class="brand"><svg viewBox="0 0 24 24" aria-hidden="true" class="mark"><circle cx="8" cy="12" r="5"/>\
    <path d="M13 12h9M18 12v4M22 12v3"/></svg> Latchkey</p>
    {{#hasNavigation}}
    <nav aria-label="[[Pages]]"><ul>
    {{#navigation}}
    <li><a href="{{address}}"{{#isCurrent}} aria-current="page"{{/isCurrent}}>{{name}}</a></li>
    {{/navigation}}
    </ul></nav>
    {{/hasNavigation}}
    </header>
    <main id="main" tabindex="-1">
    <p id="connection" class="word fault" role="status" hidden
    data-out="[[This page is no longer signed in: open it again from the menu, or with the command that opened it.]]"
    data-silent="[[Latchkey does not answer; this page tries again by itself.]]"
    data-over="[[The pages of Latchkey are closed: open them again from the menu, or with the command that opened them.]]"></p>
    {{#word}}<p class="word{{#isFault}} fault{{/isFault}}" role="status">{{#sentences}}{{.}} {{/sentences}}</p>{{/word}}

    """

  private static let after = """

    </main>
    {{#token}}
    <footer>
    <form method="post" action="/out"><input type="hidden" name="token" value="{{token}}">\
    <button class="quiet">[[Sign out]]</button></form>
    </footer>
    {{/token}}
    </body>
    </html>

    """
}
