import LatchkeyModel
import LatchkeyNode

/// The child's page: what is left, why something is closed, how to earn, and how to ask.
enum MePage {
  static let page = Page("/", whoMay: [.child], in: .named("My time"), template: template) { call in
    let account = try await call.node.ask(Endpoints.getPresence)
    if let unnamed = account.unnamed { return ("Who is there?", data(unnamed, account.children, now: call.now)) }
    let day = try await call.node.ask(Endpoints.getOwnToday)
    let requests = try await call.node.ask(Endpoints.getRequests, day.childID.description)
    let parents = try await call.node.ask(Endpoints.getStatus).peers.filter {
      $0.device.role == .parent && $0.device.state == .active
    }
    return ("My time", data(day, requests, account.children, parents, now: call.now))
  }

  static let template = """
    <h1>{{heading}}</h1>
    <section id="time" data-live>
    <div class="beside">
    \(TimeRing.template)
    <div>
    <p class="figure">{{figure}}</p>
    {{#reason}}<p>{{.}}</p>{{/reason}}
    {{#used}}<p>{{.}}</p>{{/used}}
    {{#points}}<p>{{.}}</p>{{/points}}
    {{#running}}<p>{{.}}</p>{{/running}}
    </div></div>
    {{#notices}}<p class="word">{{.}}</p>{{/notices}}
    </section>
    {{#sharers}}
    <section>
    <h2>[[Who is there?]]</h2>
    <form method="post" action="/present">
    <input type="hidden" name="token" value="{{token}}">
    <div class="row">
    <label class="wide">[[I am]] <select name="child">{{#names}}<option>{{.}}</option>{{/names}}</select></label>
    <label class="wide">[[My PIN]] <input name="pin" type="password" inputmode="numeric" autocomplete="off" maxlength="12" required></label>
    <button>[[That is me]]</button>
    </div></form>
    {{#isNamed}}
    <form method="post" action="/present"><input type="hidden" name="token" value="{{token}}">\
    <button name="leave" value="yes" class="quiet">[[I leave]]</button></form>
    {{/isNamed}}</section>{{/sharers}}
    <section id="closed" data-live>
    {{#hasClosed}}<h2>[[Not allowed now]]</h2>
    <ul>{{#closed}}<li>{{.}}</li>{{/closed}}</ul>{{/hasClosed}}
    {{#hasEnds}}<h2>[[Closes next]]</h2>
    <ul>{{#ends}}<li>{{.}}</li>{{/ends}}</ul>{{/hasEnds}}
    </section>
    {{#canAsk}}
    <section>
    <h2>[[Ask for more]]</h2>
    <form method="post" action="/ask">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="key" value="{{key}}-ask">
    <div class="row">
    <label class="narrow">[[Minutes]] <input name="minutes" type="number" min="1" max="1440" value="30"></label>
    <label class="wide">[[For]] <select name="app"><option value="">[[everything]]</option>{{#apps}}<option value="{{id}}">{{name}}</option>{{/apps}}</select></label>
    <label class="wide">[[Why]] <input name="reason" maxlength="200"></label>
    <button>[[Ask my parents]]</button>
    </div>
    <p class="note">[[Without minutes, you ask that the application itself is allowed.]]</p>
    </form></section>{{/canAsk}}
    <section id="requests" data-live>
    {{#hasRequests}}<h2>[[What I asked for]]</h2>
    <ul>{{#requests}}<li>{{.}}</li>{{/requests}}</ul>{{/hasRequests}}
    </section>
    {{#earning}}
    <section>
    <h2>[[Points]]</h2>
    <p>{{how}}</p>
    {{#redeeming}}
    <form method="post" action="/redeem">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="key" value="{{key}}-redeem">
    <div class="row">
    <label class="narrow">[[Points]] <input name="points" inputmode="decimal" value="{{usual}}" required></label>
    <button>[[Change into time]]</button>
    </div></form>{{/redeeming}}
    {{#refund}}
    <form method="post" action="/refund" class="row">
    <input type="hidden" name="token" value="{{token}}"><button class="quiet">{{.}}</button>
    </form>{{/refund}}</section>{{/earning}}
    <section id="kept">
    <h2>[[What is kept about me]]</h2>
    <p>[[Latchkey keeps which applications you use, when and for how long, what it has closed, what you asked for and why, \
    and your points. It keeps nothing that you write, read or look at.]]</p>
    <p>{{seen}}</p>
    </section>
    """

  /// Returns the data of a child's day.
  ///
  /// `sharers` is empty for an account of one child.
  static func data(
    _ day: ChildToday, _ requests: [RequestListing], _ sharers: [DeviceName], _ parents: [PeerStatus], now: Int64
  ) -> PageData {
    let clock = PageClock(zone: day.zone, now: now)
    let closed = day.apps.filter { !$0.verdict.isAllowed }
    let running = Set(day.running.map(\.appID))
    let ends =
      day.screen.isAllowed
      ? day.apps.filter { $0.verdict.isAllowed && $0.verdict.until != nil && running.contains($0.appID) } : []
    let named = day.apps.filter { !$0.appID.isOfMany }.sorted { $0.displayName < $1.displayName }
    return PageData(known: [
      "heading": Phrase("My time, {name}", ["name": .text(day.name.text)]), "ring": TimeRing.data(day),
      "figure": PageWords.figure(day.screen), "used": PageWords.used(day), "notices": day.notices, "canAsk": true,
      "running": day.running.map { PageWords.running($0, clock) }, "hasClosed": !closed.isEmpty,
      "closed": closed.map { line($0, clock) }, "hasEnds": !ends.isEmpty, "ends": ends.map { line($0, clock) },
      "apps": named.map { ["id": $0.appID.text, "name": $0.displayName] as PageData }, "hasRequests": !requests.isEmpty,
      "requests": requests.map {
        Phrase("{wish}: {answer}", ["wish": .phrase($0.wish()), "answer": .phrase(PageWords.answer($0))])
      },
      "seen": seen(parents), "reason": PageWords.reason(day.screen, clock),
      "points": day.milliPoints.map(PageWords.points), "earning": day.milliPoints.map { earning(day, $0) },
      "sharers": sharers.isEmpty ? nil : ["names": sharers.map(\.text), "isNamed": true] as PageData,
    ])
  }

  static func data(_ unnamed: UnnamedToday, _ sharers: [DeviceName], now: Int64) -> PageData {
    let clock = PageClock(zone: unnamed.zone, now: now)
    return PageData(known: [
      "heading": Phrase("Who is there?"), "figure": PageWords.figure(unnamed.screen), "notices": [unnamed.sentence],
      "hasClosed": !unnamed.apps.isEmpty, "closed": unnamed.apps.map { line($0, clock) }, "canAsk": false,
      "sharers": ["names": sharers.map(\.text), "isNamed": false] as PageData,
      "seen": Phrase("Your parents see it on their machines."), "reason": PageWords.reason(unnamed.screen, clock),
    ])
  }

  private static func line(_ app: AppToday, _ clock: PageClock) -> Phrase {
    Phrase(
      "{app}: {state}",
      ["app": .phrase(ProgramsName.phrase(app.displayName)), "state": .phrase(PageWords.application(app, clock))])
  }

  private static func earning(_ day: ChildToday, _ points: Int64) -> PageData {
    let learning = day.apps.filter { $0.category == .learning && $0.verdict.isAllowed }.prefix(12).map(\.displayName)
    let redeemed = day.redeemedMilliseconds
    let time = ["time": Phrase.Argument.phrase(PageWords.span(redeemed ?? 0))]
    return PageData(known: [
      "how": learning.isEmpty
        ? Phrase("You earn points with applications for learning: ask your parents which these are.")
        : Phrase("You earn points with {apps}.", ["apps": .phrase(PageWords.list(Array(learning)))]),
      "redeeming": redeemed != nil && points >= 1_000 ? ["usual": min(10, points / 1_000)] as PageData : nil,
      "refund": redeemed ?? 0 >= 60_000
        ? Phrase("Change {time} of time that is left back into points", time) : nil,
    ])
  }

  private static func seen(_ parents: [PeerStatus]) -> Phrase {
    let names = parents.map(\.device.name.text)
    return names.isEmpty
      ? Phrase("No parent's machine is paired with this one, so nobody sees it elsewhere.")
      : Phrase(
        """
        Your parents see it on {machines}. It leaves your family's machines only if your parents send notices elsewhere.
        """, ["machines": .phrase(PageWords.list(names))])
  }
}
