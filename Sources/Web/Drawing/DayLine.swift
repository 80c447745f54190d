import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The drawing of a day's sessions, on a line for each application, with a table of the same
/// sessions.
enum DayLine {
  /// The largest number of applications that are drawn.
  ///
  /// The table has all.
  private static let most = 12
  private static let (left, top, row, hour) = (8, 8, 26, 27)

  static let template = """
    {{#line}}
    <section id="day" data-live>
    <h2>{{heading}}</h2>
    <p class="row"><a href="/children/{{id}}?day={{previous}}">[[The day before]]</a>
    {{#following}}<a href="/children/{{id}}?day={{.}}">[[The day after]]</a>{{/following}}
    <a href="/children/{{id}}/use.csv?from={{of}}&amp;to={{of}}">[[Keep this day as a table (CSV)]]</a></p>
    {{^hasSessions}}<p>[[No session is recorded on this day.]]</p>{{/hasSessions}}
    {{#hasSessions}}
    <div class="scroll" tabindex="0" role="region" aria-label="{{heading}}">
    <svg class="plan" viewBox="0 0 664 {{height}}" role="img" aria-label="{{heading}}" aria-describedby="sessions">
    {{#lines}}<line x1="{{x}}" x2="{{x}}" y1="8" y2="{{bottom}}"/><text class="day" x="{{x}}" y="{{textY}}">{{clock}}</text>{{/lines}}
    {{#lanes}}<text x="10" y="{{textY}}">{{called}}</text>{{/lanes}}
    {{#bars}}<rect class="{{kind}}" x="{{x}}" y="{{y}}" width="{{width}}" height="10"><title>{{title}}</title></rect>{{/bars}}
    </svg></div>
    <div class="scroll" tabindex="0" role="region" aria-label="[[Sessions]]">
    <table id="sessions">
    <caption>[[Sessions of the day, the newest first]]</caption>
    <thead><tr><th scope="col">[[From]]</th><th scope="col">[[To]]</th><th scope="col">[[Application]]</th>\
    <th scope="col">[[Category]]</th><th scope="col" class="number">[[Used]]</th><th scope="col">[[Machine]]</th>\
    <th scope="col" class="number">[[Points]]</th></tr></thead>
    <tbody>
    {{#sessions}}
    <tr><th scope="row">{{start}}</th><td>{{end}}</td><td>{{app}}</td><td>{{category}}</td>\
    <td class="number">{{used}}</td><td>{{machine}}</td><td class="number">{{earned}}</td></tr>
    {{/sessions}}</tbody></table></div>
    {{#more}}<p class="note">{{.}}</p>{{/more}}
    {{/hasSessions}}</section>{{/line}}
    """

  /// Returns the drawing of a day's sessions, the newest first.
  ///
  /// It is empty without the family's days.
  ///
  /// `isMore` indicates whether there are earlier sessions.
  static func data(
    _ sessions: [UsagePage.Session], on day: FamilyDay, _ plan: ChildPlan, isMore: Bool = false, now: Int64
  ) -> PageData {
    guard let boundary = plan.boundary else { return [:] }
    let (first, last) = (boundary.start(of: day), boundary.end(of: day))
    let clock = PageClock(zone: plan.day.zone, now: now)
    var apps: [AppID] = []
    for session in sessions.reversed() where !apps.contains(session.record.appID) { apps.append(session.record.appID) }
    let drawn = apps.prefix(most)
    let bottom = top + drawn.count * row
    func x(_ instant: Int64) -> Int {
      let part = Double(min(max(instant, first), last) - first) / Double(max(1, last - first))
      return left + Int((part * Double(24 * hour)).rounded())
    }
    let line = PageData(known: [
      "id": plan.child, "of": day.description,
      "heading": Phrase("The day: {day}", ["day": .phrase(PageClock.day(day))]),
      "previous": day.advanced(byDays: -1).description, "hasSessions": !sessions.isEmpty, "height": bottom + 24,
      "lines": stride(from: 0, through: 24, by: 3).map { mark -> PageData in
        let clock = (boundary.dayStartHour + mark) % 24
        return [
          "x": left + mark * hour, "bottom": bottom, "textY": bottom + 16,
          "clock": clock < 10 ? "0\(clock)" : "\(clock)",
        ]
      },
      "lanes": drawn.enumerated().map { index, app -> PageData in
        let called = sessions.first { $0.record.appID == app }?.record.displayName ?? app.text
        return ["called": String(called.prefix(40)), "textY": top + index * row + 11]
      },
      "bars": sessions.compactMap { session -> PageData? in
        guard let index = drawn.firstIndex(of: session.record.appID) else { return nil }
        let start = x(session.clippedStart)
        return [
          "kind": session.record.category.rawValue, "x": start, "y": top + index * row + 14,
          "width": max(2, x(session.clippedEnd) - start),
          "title":
            "\(session.record.displayName): \(clock.time(session.clippedStart))–\(clock.time(session.clippedEnd))",
        ]
      },
      "sessions": sessions.map { session -> PageData in
        [
          "start": clock.time(session.clippedStart),
          "end": session.isOpen ? Phrase("now") as Any : clock.time(session.clippedEnd),
          "app": session.record.displayName, "category": PageWords.title(session.record.category),
          "used": PageWords.span(session.clippedActiveMilliseconds), "machine": session.deviceName.text,
          "earned": session.milliPoints.map { PageWords.number($0) } ?? PageWords.none,
        ]
      },
      "following": day < plan.today ? day.advanced(byDays: 1).description : nil,
      "more": isMore ? Phrase("Earlier sessions of the day are not shown here; the table to keep counts them.") : nil,
    ])
    return ["line": line]
  }

  /// Asks a node for the sessions of a child on a day, and returns the data of the template.
  static func read(_ plan: ChildPlan, on day: FamilyDay, at node: any NodeInterface, now: Int64) async throws
    -> PageData
  {
    guard let boundary = plan.boundary else { return [:] }
    let query = UsageQuery(from: boundary.start(of: day), to: boundary.end(of: day), limit: 1_000)
    let found = try await node.ask(Endpoints.getUsage, query.parts)
    let own = found.sessions.filter { $0.record.child == plan.day.childID && !$0.record.appID.isOfMany }
    return data(own, on: day, plan, isMore: found.next != nil, now: now)
  }
}

/// The drawing of a week's bedtime, school and reward times, and of the hours of applications and
/// groups, on lines for each day, with a table of the same times.
enum PlanChart {
  private static let (left, top, lane, hour) = (40, 8, 8, 25)

  static let template = """
    {{#chart}}
    <div class="scroll" tabindex="0" role="region" aria-label="{{label}}">
    <svg class="plan" viewBox="0 0 660 {{height}}" role="img" aria-label="{{label}}" aria-describedby="plan">
    {{#lines}}<line x1="{{x}}" x2="{{x}}" y1="8" y2="{{bottom}}"/><text class="day" x="{{x}}" y="{{clockY}}">{{clock}}</text>{{/lines}}
    {{#days}}<text class="scale" x="36" y="{{textY}}">{{short}}</text>{{/days}}
    {{#bars}}<rect class="{{kind}}" x="{{x}}" y="{{y}}" width="{{width}}" height="8"><title>{{title}}</title></rect>{{/bars}}
    </svg></div>
    <div class="scroll" tabindex="0" role="region" aria-label="[[The times of the week in a table]]">
    <table id="plan">
    <caption>[[A time that ends before it begins ends on the next day.]]</caption>
    <thead><tr><th scope="col">[[Day]]</th>
    {{#kinds}}<th scope="col"><svg class="key" viewBox="0 0 10 10" aria-hidden="true">\
    <rect class="{{kind}}" width="10" height="10"/></svg> {{title}}</th>{{/kinds}}
    {{#hasHours}}<th scope="col"><svg class="key" viewBox="0 0 10 10" aria-hidden="true">\
    <rect class="hours" width="10" height="10"/></svg> [[Hours of applications]]</th>{{/hasHours}}
    <th scope="col" class="number">[[Screen time]]</th></tr></thead>
    <tbody>
    {{#days}}
    <tr><th scope="row">{{short}}</th>{{#cells}}<td>{{.}}</td>{{/cells}}\
    {{#hasHours}}<td>{{hours}}</td>{{/hasHours}}<td class="number">{{limit}}</td></tr>
    {{/days}}</tbody></table></div>{{/chart}}
    """

  /// A schedule, with its class in the style sheet.
  private struct Lane {
    var kind: String
    var title: Phrase
    var windows: WeekWindows?
  }

  /// The hours in which an application or a group may be used.
  struct Hours: Sendable {
    var name: Phrase.Argument
    var windows: WeekWindows
  }

  static func data(_ plan: RuleSet, hours: [Hours] = []) -> PageData {
    // Four lines a day instead of three.
    let row = hours.isEmpty ? 30 : 38
    let lanes = [
      Lane(kind: "night", title: PlanRule.bedtime.title, windows: plan.bedtime),
      Lane(kind: "learning", title: PlanRule.school.title, windows: plan.school),
      Lane(kind: "reward", title: PlanRule.reward.title, windows: plan.rewardTimes),
    ]
    return [
      "label": Phrase("The times of the week, with the same times in the table below"),
      "lines": stride(from: 0, through: 24, by: 3).map { mark -> PageData in
        ["x": left + mark * hour, "clock": mark < 10 ? "0\(mark)" : "\(mark)"]
      },
      "kinds": lanes.map { ["kind": $0.kind, "title": $0.title] as PageData },
      "height": top + 7 * row + 26, "bottom": top + 7 * row, "clockY": top + 7 * row + 18, "hasHours": !hours.isEmpty,
      "days": Weekday.allCases.map { day -> PageData in
        [
          "short": PageClock.name(day), "textY": top + day.rawValue * row + row / 2 + 3, "hours": cell(hours, on: day),
          "cells": lanes.map { lane in
            let windows = lane.windows?[day] ?? []
            return windows.isEmpty ? "–" : windows.map(\.text).joined(separator: ", ")
          },
          "limit": plan.dailyLimit?[day].map { SpanText.phrase(minutes: $0.minutes) } ?? PageWords.none,
        ]
      },
      "bars": lanes.enumerated().flatMap { index, lane in bars(lane, at: index, row) }
        + hours.flatMap { hours in
          bars(
            Lane(kind: "hours", title: Phrase("{name}", ["name": hours.name]), windows: hours.windows),
            at: lanes.count, row)
        },
    ]
  }

  /// Returns the hours of each application on a day, such as `Kart 15:00-18:00`.
  private static func cell(_ hours: [Hours], on day: Weekday) -> Phrase {
    let items = hours.compactMap { hours -> Phrase.Argument? in
      let windows = hours.windows[day]
      if windows.isEmpty { return nil }
      return .phrase(
        Phrase("{name} {times}", ["name": hours.name, "times": .text(windows.map(\.text).joined(separator: ", "))]))
    }
    return items.isEmpty ? PageWords.none : Phrase("{hours}", ["hours": .list(items)])
  }

  private static func bars(_ lane: Lane, at index: Int, _ row: Int) -> [PageData] {
    Weekday.allCases.flatMap { day in
      (lane.windows?[day] ?? []).flatMap { window -> [PageData] in
        let title = Phrase(
          "{day}, {what}: {times}",
          ["day": .phrase(PageClock.name(day)), "what": .phrase(lane.title), "times": .text(window.text)])
        let end = window.start + window.length
        var parts = [(day: day.rawValue, start: window.start, end: min(end, 1_440))]
        if end > 1_440 { parts.append(((day.rawValue + 1) % 7, 0, end - 1_440)) }
        return parts.map { part in
          [
            "kind": lane.kind, "title": title, "x": left + part.start * hour / 60,
            "y": top + part.day * row + 2 + index * Self.lane, "width": max(1, (part.end - part.start) * hour / 60),
          ]
        }
      }
    }
  }
}
