import LatchkeyModel
import LatchkeyNode

/// The chart of a week's or a month's use, as stacked bars by category, with a table of the same
/// numbers.
enum WeekChart {
  private static let (left, top, width, height) = (34, 8, 322, 150)

  static let template = """
    {{#chart}}
    <svg class="chart" viewBox="0 0 364 184" role="img" aria-label="{{label}}" aria-describedby="use">
    {{#lines}}<line x1="34" x2="360" y1="{{y}}" y2="{{y}}"/><text class="scale" x="30" y="{{textY}}">[[{hours} h]]</text>{{/lines}}
    {{#days}}
    {{#bars}}<rect class="{{kind}}" x="{{x}}" y="{{y}}" width="{{width}}" height="{{height}}"><title>{{title}}</title></rect>{{/bars}}
    {{#short}}<text class="day" x="{{middle}}" y="174">{{.}}</text>{{/short}}
    {{/days}}</svg>
    <div class="scroll" tabindex="0" role="region" aria-label="[[Use by day and category]]">
    <table id="use">
    <caption>[[Use by day and category]]</caption>
    <thead><tr><th scope="col">[[Day]]</th>
    {{#kinds}}<th scope="col" class="number"><svg class="key" viewBox="0 0 10 10" aria-hidden="true">\
    <rect class="{{kind}}" width="10" height="10"/></svg> {{title}}</th>{{/kinds}}
    <th scope="col" class="number">[[All]]</th></tr></thead>
    <tbody>
    {{#days}}
    <tr><th scope="row">{{name}}</th>{{#cells}}<td class="number">{{.}}</td>{{/cells}}\
    <td class="number">{{all}}</td></tr>
    {{/days}}
    <tr><th scope="row">[[All]]</th>{{#sums}}<td class="number">{{.}}</td>{{/sums}}<td class="number">{{sum}}</td></tr>
    </tbody></table></div>{{/chart}}
    """

  /// Returns the chart of the days of a week or a month, with the milliseconds by category.
  static func data(_ days: [(day: FamilyDay, use: [AppCategory: Int64])], label: Phrase) -> PageData {
    let categories = AppCategory.allCases
    let sums = categories.map { category in days.reduce(Int64(0)) { $0 + ($1.use[category] ?? 0) } }
    let longest = days.map { $0.use.values.reduce(0, +) }.max() ?? 0
    let hours = scale(longest)
    let top = Int64(hours) * 3_600_000
    let marks = stride(from: 0, through: hours, by: max(1, hours / 4)).map { mark -> PageData in
      let y = Self.top + height - height * mark / hours
      return ["y": y, "textY": y + 4, "hours": mark]
    }
    return [
      "label": label, "lines": marks,
      "kinds": categories.map { ["kind": $0.rawValue, "title": PageWords.title($0)] as PageData },
      "days": days.enumerated().map { index, one in day(one.day, one.use, at: index, of: days.count, top: top) },
      "sums": sums.map(cell), "sum": cell(sums.reduce(0, +)),
    ]
  }

  private static func day(
    _ day: FamilyDay, _ use: [AppCategory: Int64], at index: Int, of count: Int, top: Int64
  ) -> PageData {
    let step = width / max(count, 7)
    let bar = max(6, step - 16)
    let (x, name) = (left + (count > 7 ? 4 : 10) + index * step, PageClock.day(day))
    var (bars, below): ([PageData], Int64) = ([], 0)
    for category in AppCategory.allCases {
      let milliseconds = use[category] ?? 0
      let (low, high) = (place(below, top), place(below + milliseconds, top))
      below += milliseconds
      guard high > low else { continue }
      bars.append([
        "kind": category.rawValue, "x": x, "width": bar, "y": Self.top + height - high, "height": high - low,
        "title": Phrase(
          "{day}, {category}: {time}",
          [
            "day": .phrase(name), "category": .phrase(PageWords.title(category)),
            "time": .phrase(PageWords.span(milliseconds)),
          ]),
      ])
    }
    // In a month, only some days have room for their number.
    let number = PageClock.dayOfMonth(day)
    let isNumbered = number % 5 == 0 || number == 1
    let short = count <= 7 ? PageClock.name(day) : isNumbered ? Phrase(verbatim: "\(number)") : nil
    return [
      "name": name, "short": short.map { [$0] } ?? [], "middle": x + bar / 2, "bars": bars,
      "cells": AppCategory.allCases.map { cell(use[$0] ?? 0) }, "all": cell(use.values.reduce(0, +)),
    ]
  }

  private static func place(_ milliseconds: Int64, _ top: Int64) -> Int {
    Int((Double(min(max(milliseconds, 0), top)) / Double(top) * Double(height)).rounded())
  }

  /// Returns the hours of the top line: a number that divides into up to four whole numbers.
  private static func scale(_ milliseconds: Int64) -> Int {
    let hours = Int(min(max(milliseconds, 0), 86_400_000) + 3_599_999) / 3_600_000
    return [1, 2, 3, 4, 8, 12, 16, 20].first { $0 >= hours } ?? 24
  }

  private static func cell(_ milliseconds: Int64) -> Phrase {
    milliseconds < 60_000 ? PageWords.none : PageWords.span(milliseconds)
  }
}

enum TimeRing {
  /// The circumference of the circle in drawing units.
  private static let length = 1_000

  static let template = """
    {{#ring}}
    <svg class="ring" viewBox="0 0 120 120" role="img" aria-label="{{label}}">
    <circle class="rest" cx="60" cy="60" r="52"/>
    {{#isSome}}<circle class="left" cx="60" cy="60" r="52" pathLength="1000" stroke-dasharray="{{part}} 1000" \
    transform="rotate(-90 60 60)"/>{{/isSome}}
    <text x="60" y="66">{{middle}}</text>
    </svg>{{/ring}}
    """

  static func data(_ day: ChildToday) -> PageData {
    let screen = day.screen
    var (part, middle) = (length, Phrase("free"))
    if !screen.isAllowed {
      (part, middle) = (0, Phrase("closed"))
    } else if let left = screen.leftMilliseconds {
      part = share(left, of: day)
      middle = left < 60_000 ? Phrase("< 1 min") : SpanText.phrase(left: left)
    }
    return ["label": PageWords.figure(screen), "part": part, "isSome": part > 0, "middle": middle]
  }

  private static func share(_ left: Int64, of day: ChildToday) -> Int {
    // A rule other than the limit may end the time, so that less is left than the limit leaves.
    let all = max(day.limitMilliseconds ?? 0, day.usedMilliseconds.addingReportingOverflow(left).partialValue, 1)
    return Int((Double(min(max(left, 0), all)) / Double(all) * Double(length)).rounded())
  }
}

/// The bar that shows how much of a day's limit was used.
enum UseBar {
  static let template = """
    {{#bar}}
    <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label="{{label}}">
    <rect class="track" width="100" height="4" rx="1"/><rect class="used" width="{{part}}" height="4" rx="1"/>
    </svg>{{/bar}}
    """

  static func data(_ day: ChildToday) -> PageData? {
    guard let limit = day.limitMilliseconds, limit > 0 else { return nil }
    let part = Double(min(max(day.usedMilliseconds, 0), limit)) / Double(limit) * 100
    return ["label": PageWords.used(day), "part": Int(part.rounded())]
  }
}
