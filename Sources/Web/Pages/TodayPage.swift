import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The parent's first page: the children's requests, and each child's day.
enum TodayPage {
  static let page = Page("/", whoMay: [.parent, .phone], in: .named("Today"), template: template) { call in
    let status = try await call.node.ask(Endpoints.getStatus)
    let children = try await call.node.ask(Endpoints.getChildren)
    let requests = try await call.node.ask(Endpoints.getRequests, nil)
    var days: [(ChildListing, ChildToday)] = []
    for child in children {
      days.append((child, try await call.node.ask(Endpoints.getToday, child.childID.description)))
    }
    return ("Today", data(days, requests, status, now: call.now))
  }

  static let template = """
    <h1>[[Today]]</h1>
    <section id="warnings" data-live>
    {{#warnings}}<p class="word fault">{{.}}</p>{{/warnings}}
    </section>
    <section id="requests" data-live aria-label="[[Requests]]">
    <div class="cards">
    {{#requests}}
    <article class="card request" aria-labelledby="request-{{id}}">
    <h2 id="request-{{id}}">[[{name} asks for {wish}]]</h2>
    {{#reason}}<blockquote>{{.}}</blockquote>{{/reason}}
    <p class="age">[[{asked} on {device}]]</p>
    <form method="post" action="/requests/answer">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="request" value="{{id}}">
    <div class="row">
    {{#minutes}}<label class="narrow">[[Minutes]] <input name="minutes" type="number" min="1" max="1440" value="{{.}}" required></label>{{/minutes}}
    <label class="wide">[[A word for {name}]] <input name="word" maxlength="200"></label>
    </div>
    <div class="row">
    <button name="answer" value="yes">[[Yes]] <span class="spoken">[[for {name}]]</span></button>
    <button name="answer" value="no" class="quiet" formnovalidate>[[No]] <span class="spoken">[[for {name}]]</span></button>
    </div></form></article>{{/requests}}</div></section>
    <section id="children" data-live aria-label="[[Children]]">
    {{^hasChildren}}
    <h2>[[Begin with a child's machine]]</h2>
    <p>[[Here stands what each child uses, and what is left. No child is known yet: pair the child's machine with this one, and \
    say whose it is, which account is the child's, and how long the child may use it.]]</p>
    {{^isPhone}}
    {{#unowned}}<p><a class="button" href="/machines/{{id}}/setup">[[Go on with {name}]]</a></p>{{/unowned}}
    <p><a class="button" href="/machines/pair">[[Pair the child's machine]]</a></p>
    {{/isPhone}}{{/hasChildren}}
    <div class="cards">
    {{#children}}
    <article class="card" aria-labelledby="child-{{id}}">
    <h2 id="child-{{id}}"><a href="/children/{{id}}">{{name}}</a></h2>
    <p class="figure">{{figure}}</p>
    {{#reason}}<p>{{.}}</p>{{/reason}}
    \(UseBar.template)
    <p>{{used}}</p>
    {{#points}}<p>{{.}}</p>{{/points}}
    {{#running}}<p>{{.}}</p>{{/running}}
    {{#stale}}<p class="word fault">{{.}}</p>{{/stale}}
    <ul class="plain age">{{#machines}}<li>{{.}}</li>{{/machines}}</ul>
    {{#pending}}<p class="note">{{.}}</p>{{/pending}}
    <div class="row">
    <form method="post" action="/children/grant" class="row">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="child" value="{{id}}">
    <input type="hidden" name="key" value="{{key}}-{{id}}">
    <button name="minutes" value="15">[[+15 min]] <span class="spoken">[[for {name}]]</span></button>
    <button name="minutes" value="30">[[+30 min]] <span class="spoken">[[for {name}]]</span></button>
    </form>
    <form method="post" action="/children/lock">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="child" value="{{id}}">
    {{#isLocked}}<button name="lock" value="off">[[Unlock]] <span class="spoken">{{name}}</span></button>{{/isLocked}}
    {{^isLocked}}<button name="lock" value="on" class="quiet">[[Lock]] <span class="spoken">{{name}}</span></button>{{/isLocked}}
    </form></div></article>{{/children}}</div></section>
    <section id="answered" data-live>
    {{#hasAnswered}}<h2>[[Answered today]]</h2>
    <ul>{{#answered}}<li>{{.}}</li>{{/answered}}</ul>{{/hasAnswered}}
    </section>
    """

  static func data(
    _ days: [(ChildListing, ChildToday)], _ requests: [RequestListing], _ status: NodeStatus, now: Int64
  ) -> PageData {
    let clock = PageClock(zone: days.first?.1.zone, now: now)
    let answered = requests.filter { $0.state == .approved || $0.state == .denied }
    return [
      "warnings": status.warnings, "requests": requests.filter { $0.state == .open }.map { request($0, clock) },
      "hasChildren": !days.isEmpty,
      "unowned": status.peers.filter { $0.device.role == .child && $0.device.state == .active }.map { peer in
        ["id": peer.device.deviceID.description, "name": Phrase.quoted(peer.device.name.text)] as PageData
      },
      "children": days.map { child($0.0, $0.1, status, clock) },
      "hasAnswered": !answered.isEmpty,
      "answered": answered.map { request in
        Phrase(
          "{child}, {wish}: {answer}",
          [
            "child": .text(request.childName.text), "wish": .phrase(request.wish()),
            "answer": .phrase(PageWords.answer(request)),
          ])
      },
    ]
  }

  private static func request(_ request: RequestListing, _ clock: PageClock) -> PageData {
    PageData(known: [
      "id": request.requestID.description, "name": request.childName.text, "wish": request.wish(),
      "asked": clock.ago(request.askedAt), "device": request.deviceName.text,
      "reason": request.reason.isEmpty ? nil : request.reason, "minutes": request.minutes,
    ])
  }

  private static func child(
    _ child: ChildListing, _ day: ChildToday, _ status: NodeStatus, _ clock: PageClock
  ) -> PageData {
    let peers = status.peers.filter { child.machines.contains($0.device.name) }
    let untold = ["names": Phrase.Argument.phrase(PageWords.list(child.untold.map(\.text)))]
    return PageData(known: [
      "id": child.childID.description, "name": child.name.text, "figure": PageWords.figure(day.screen),
      "used": PageWords.used(day), "isLocked": !day.screen.isAllowed && day.screen.rule == Reason.lock.word,
      "machines": peers.map {
        Phrase(
          "{machine}: {state}",
          ["machine": .text($0.device.name.text), "state": .phrase(PageWords.touch($0, clock))])
      },
      "running": day.running.map { PageWords.running($0, clock) }, "reason": PageWords.reason(day.screen, clock),
      "bar": UseBar.data(day), "points": day.milliPoints.map(PageWords.points),
      "stale": PageWords.stale(child, peers, clock),
      "pending": child.untold.isEmpty
        ? nil : Phrase("The last change has not been confirmed yet by {names}.", untold),
    ])
  }
}
