import LatchkeyModel
import LatchkeyRules

/// The week's bedtime, school and reward times, and the hours of applications and groups, on lines
/// for each day, with the table of the same times.
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

  /// A schedule with its name in the style sheet.
  private struct Lane {
    var kind: String
    var title: Phrase
    var windows: WeekWindows?
  }

  /// When an application or a group may be used.
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

  /// Returns when each application may be used on a day, such as `Kart 15:00-18:00`.
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
