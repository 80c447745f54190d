import LatchkeyModel
import LatchkeyNode

/// The section about a child's points on its page: held learning, the last changes, and a form.
enum PointsSection {
  static let shown = 20

  static let template = """
    {{#points}}
    <section id="points" data-live>
    <h2>[[Points]]</h2>
    <p class="figure">{{balance}}</p>
    <p>{{today}}</p>
    {{#hasHeld}}
    <h3>[[Learning that waits for you]]</h3>
    <ul class="plain">
    {{#held}}
    <li class="card">
    <p>{{words}}</p>
    <form method="post" action="/points/review" class="row">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="child" value="{{id}}">
    <input type="hidden" name="record" value="{{record}}">
    <button name="decision" value="approve">[[It counts]] <span class="spoken">{{words}}</span></button>
    <button name="decision" value="reject" class="quiet">[[It does not count]] <span class="spoken">{{words}}</span></button>
    </form></li>{{/held}}</ul>{{/hasHeld}}
    <h3>[[Last changes]]</h3>
    {{^hasEntries}}<p>[[No points were earned or spent yet.]]</p>{{/hasEntries}}
    {{#hasEntries}}
    <div class="scroll" tabindex="0" role="region" aria-label="[[Last changes of the points]]">
    <table>
    <thead><tr><th scope="col">[[When]]</th><th scope="col" class="number">[[Points]]</th><th scope="col">[[What]]</th>\
    <th scope="col">[[Machine]]</th></tr></thead>
    <tbody>
    {{#entries}}
    <tr><th scope="row">{{when}}</th><td class="number">{{amount}}</td><td class="words">{{what}}{{#note}}: {{.}}{{/note}}</td>\
    <td>{{machine}}</td></tr>
    {{/entries}}</tbody></table></div>{{/hasEntries}}
    <h3>[[Give or take points]]</h3>
    <form method="post" action="/points/adjust" class="row">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="child" value="{{id}}">
    <input type="hidden" name="key" value="{{key}}-{{id}}">
    <label class="narrow">[[Points]] <input name="points" inputmode="decimal" maxlength="12" required></label>
    <label class="wide">[[Why, which the child can read]] <input name="reason" maxlength="200" required></label>
    <button name="deed" value="give">[[Give]]</button>
    <button name="deed" value="take" class="quiet">[[Take]]</button>
    </form></section>{{/points}}
    """

  static func data(_ points: PointsListing, of child: String, _ clock: PageClock) -> PageData {
    let section: PageData = [
      "id": child, "balance": PointsText.phrase(PointsText.left(points.balance)),
      "today": points.earnedToday == 0
        ? Phrase("Nothing was earned today.")
        : Phrase("{points} earned today.", ["points": .phrase(PointsText.phrase(PointsText.left(points.earnedToday)))]),
      "hasHeld": !points.held.isEmpty,
      "held": points.held.map { entry in
        [
          "record": entry.source.description,
          "words": Phrase(
            "{points} on {machine}, {moment}: {words}",
            [
              "points": .phrase(PointsText.phrase(entry.milliPoints)), "machine": .text(entry.deviceName.text),
              "moment": .phrase(clock.moment(entry.at)), "words": .phrase(entry.said),
            ]),
        ] as PageData
      },
      "hasEntries": !points.entries.isEmpty,
      "entries": points.entries.map { entry in
        PageData(known: [
          "when": clock.moment(entry.at), "what": entry.said, "machine": entry.deviceName.text,
          "amount": entry.milliPoints > 0
            ? Phrase("+{number}", ["number": PointsText.number(entry.milliPoints)])
            : PageWords.number(entry.milliPoints), "note": entry.note.isEmpty ? nil : entry.note,
        ])
      },
    ]
    return ["points": section]
  }
}

extension PointsEntry {
  /// The sentence about the change.
  fileprivate var said: Phrase { phrase ?? Phrase(verbatim: words) }
}
