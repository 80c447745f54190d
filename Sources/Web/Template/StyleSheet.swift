/// The one style sheet of all pages.
///
/// Colors, spaces and sizes have names, which each scheme defines once. There is no motion. Text
/// has a contrast of at least 4.5 : 1 in both schemes.
enum StyleSheet {
  static let text = #"""
    :root {
      color-scheme: light dark;
      --ground: #f6f7f9; --surface: #ffffff; --line: #c9ced6; --text: #1a1f27; --faint: #525c69;
      --accent: #0b57a4; --on-accent: #ffffff; --soft: #e3edf8;
      --warn: #8a3b00; --warn-soft: #fdeede;
      --learning: #2268b2; --reward: #c65d07; --neutral: #6b7480; --night: #5b3f9e; --track: #dfe3e9;
      --space-1: 0.25rem; --space-2: 0.5rem; --space-3: 1rem; --space-4: 1.5rem;
      --radius: 0.6rem; --column: 68rem; --card: 34rem;
      /* What a finger finds. */
      --touch: 2.75rem;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #12161c; --surface: #1b2129; --line: #3c4653; --text: #e9edf2; --faint: #aab4c0;
        --accent: #8cc1ff; --on-accent: #0a1a2c; --soft: #1d3147;
        --warn: #ffb784; --warn-soft: #3d2412;
        --learning: #72b1f5; --reward: #f2a154; --neutral: #9aa5b1; --night: #b9a3f5; --track: #333c48;
      }
    }
    *, *::before, *::after { box-sizing: border-box; }
    body {
      margin: 0; background: var(--ground); color: var(--text);
      font: 1rem/1.5 system-ui, "Noto Sans", sans-serif; overflow-wrap: anywhere;
    }
    header, main, footer { max-width: var(--column); margin: 0 auto; padding: var(--space-2) var(--space-3); }
    header { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-2) var(--space-4); }
    main { padding-bottom: var(--space-4); }
    main:focus { outline: none; }
    .brand { margin: 0; font-weight: 700; display: flex; align-items: center; gap: var(--space-2); }
    .mark { width: 1.5rem; height: 1.5rem; fill: none; stroke: var(--accent); stroke-width: 2.5; }
    nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: var(--space-1); margin: 0; padding: 0; }
    nav a { display: flex; align-items: center; min-height: var(--touch); padding: 0 var(--space-3); border-radius: var(--radius); }
    @media (max-width: 30rem) { nav a { padding: 0 var(--space-2); } }
    nav a[aria-current] { background: var(--soft); font-weight: 700; }
    a { color: var(--accent); }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .skip { position: absolute; left: -100rem; }
    .skip:focus { position: static; display: inline-block; padding: var(--space-2); }
    .spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; user-select: none; }
    h1 { font-size: 1.6rem; line-height: 1.25; margin: var(--space-2) 0 var(--space-3); }
    h2 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 var(--space-2); }
    h3 { font-size: 1.05rem; margin: 0 0 var(--space-2); }
    p, ul, ol { margin: 0 0 var(--space-2); }
    p + h2, ul + h2, ol + h2 { margin-top: var(--space-3); }
    ul, ol { padding-left: 1.25rem; }
    /* The link takes the height of a finger without taking more room. */
    h2 > a { display: block; padding: 0.6rem 0; margin: -0.6rem 0; }
    section { margin-bottom: var(--space-4); }
    /* It has nothing to show now. */
    section:not(:has(:not(.cards))) { margin: 0; }
    .cards { display: grid; gap: var(--space-3); grid-template-columns: minmax(0, 1fr); }
    @media (min-width: 44rem) { .cards { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
    .card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: var(--space-3); }
    .request { border-left: 0.4rem solid var(--accent); }
    .figure { font-size: 1.5rem; font-weight: 700; line-height: 1.25; }
    .age, .note { color: var(--faint); font-size: 0.9rem; }
    .word { background: var(--soft); border-radius: var(--radius); padding: var(--space-2) var(--space-3); }
    main > .word, [role=status] > .word { margin-bottom: var(--space-3); }
    .fault { background: var(--warn-soft); color: var(--warn); }
    blockquote { margin: 0 0 var(--space-2); padding-left: var(--space-3); border-left: 3px solid var(--line); }
    .plain { list-style: none; padding: 0; }
    .plain li { padding: var(--space-1) 0; }
    form { margin: 0; }
    /* What follows a form or a card is not a part of it. */
    form + form:not(.row > *), form + p:not(.row > *), .card + p, .row + p:not(.row) { margin-top: var(--space-2); }
    section > .card + .card, section > .card + form { margin-top: var(--space-3); }
    .row { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: end; }
    .row + .row, .row + .note { margin-top: var(--space-2); }
    .row > a { display: inline-flex; align-items: center; min-height: var(--touch); padding-right: var(--space-2); }
    label { display: block; font-size: 0.9rem; color: var(--faint); }
    input, select, button {
      font: inherit; min-height: var(--touch); padding: var(--space-2) 0.75rem; border-radius: var(--radius);
      border: 1px solid var(--faint); background: var(--surface); color: var(--text); max-width: 100%;
    }
    /* A phone enlarges the page for a field whose text is smaller. */
    input, select { font-size: 1rem; }
    form > label + label, form > label + .note { margin-top: var(--space-1); }
    form > label + p:not(.note) { margin-top: var(--space-2); }
    label input, label select { display: block; width: 100%; margin-top: var(--space-1); color: var(--text); }
    input[type=checkbox], input[type=radio] { min-height: 0; width: 1.4rem; height: 1.4rem; padding: 0; accent-color: var(--accent); }
    label.choice { display: flex; gap: var(--space-2); align-items: center; min-height: var(--touch); padding: var(--space-1) 0; color: var(--text); }
    label.choice input { display: inline-block; margin: 0; width: 1.4rem; flex: none; }
    label.plainly { font-size: 1rem; color: var(--text); }
    fieldset { border: 1px solid var(--line); border-radius: var(--radius); margin: var(--space-2) 0; padding: var(--space-2) var(--space-3); min-width: 0; }
    legend { color: var(--faint); padding: 0 var(--space-1); }
    [aria-invalid=true] { border: 2px solid var(--warn); }
    .narrow { width: 7rem; }
    .wide { flex: 1 1 12rem; }
    button { cursor: pointer; background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
    @media (max-width: 30rem) { button { padding: var(--space-2); } }
    button.quiet { background: transparent; color: var(--accent); }
    a.button {
      display: inline-flex; align-items: center; min-height: var(--touch); padding: var(--space-2) var(--space-3); border-radius: var(--radius);
      background: var(--accent); color: var(--on-accent); font-weight: 600; text-decoration: none;
    }
    .code { font-family: ui-monospace, "Noto Sans Mono", monospace; }
    .digits { font-size: 2.5rem; letter-spacing: 0.1em; }
    .qr { width: 16rem; max-width: 100%; flex: none; }
    .qr .light { fill: #ffffff; }
    .qr .dark { fill: #000000; }
    table { border-collapse: collapse; width: 100%; background: var(--surface); }
    /* What is spoken alone stays within it as well. */
    .scroll { overflow-x: auto; position: relative; }
    .scroll + h3, .scroll + fieldset, form + .scroll { margin-top: var(--space-3); }
    /* It is read without scrolling, however wide the table is. */
    caption { max-width: calc(100vw - 2 * var(--space-3)); text-align: left; color: var(--faint); font-size: 0.9rem; padding-bottom: var(--space-2); }
    th, td { text-align: left; vertical-align: top; padding: var(--space-2); border-bottom: 1px solid var(--line); overflow-wrap: normal; }
    td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    #use th[scope=row] { white-space: nowrap; }
    /* In a table that scrolls, a sentence would be as narrow as its longest word. */
    td:last-child:not(.number), td.words { min-width: 11rem; }
    td.brief { white-space: nowrap; }
    tr:has(label.choice) > * { vertical-align: middle; }
    @media (max-width: 30rem) { th, td { padding: var(--space-2) var(--space-1); font-size: 0.9rem; } }
    dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: var(--space-1) var(--space-3); margin: 0; }
    dt { color: var(--faint); }
    dd { margin: 0; }
    svg text { fill: var(--text); font-size: 11px; }
    .bar { width: 100%; max-width: var(--card); height: 0.6rem; display: block; margin: var(--space-2) 0; border-radius: 0.3rem; overflow: hidden; }
    .bar rect { rx: 0; }
    .track { fill: var(--track); stroke: none; }
    .used { fill: var(--accent); }
    .ring { width: 12rem; max-width: 60vw; flex: none; }
    .ring circle { fill: none; stroke-width: 12; }
    .ring .rest { stroke: var(--track); }
    .ring .left { stroke: var(--accent); stroke-linecap: butt; }
    .ring text { font-size: 11px; font-weight: 700; text-anchor: middle; }
    .beside { display: flex; flex-wrap: wrap; gap: var(--space-4); align-items: center; }
    .beside + .word, .beside + form { margin-top: var(--space-3); }
    .beside > div { flex: 1 1 14rem; }
    .chart { width: 100%; max-width: 40rem; display: block; }
    .chart line { stroke: var(--line); stroke-width: 1; }
    @media (min-width: 40rem) { .chart text { font-size: 8.5px; } }
    .chart .day { text-anchor: middle; }
    .chart .scale { text-anchor: end; fill: var(--faint); }
    /* The whole day is seen at once, on a phone as well. */
    .plan { width: 100%; max-width: 60rem; display: block; }
    @media (max-width: 43rem) { .plan text { font-size: 14px; } }
    @media (max-width: 30rem) {
      /* The numbers of the first and of the last hour reach into the margin. */
      .plan { width: calc(100% - 0.75rem); margin: 0 auto; overflow: visible; }
      .plan text { font-size: 19px; }
      .plan .scale { font-size: 16px; }
    }
    .plan line { stroke: var(--line); stroke-width: 1; }
    .plan .day { text-anchor: middle; }
    .plan .scale { text-anchor: end; fill: var(--faint); }
    .night { fill: var(--night); }
    .learning { fill: var(--learning); }
    .reward { fill: var(--reward); }
    .hours { fill: var(--neutral); }
    .neutral { fill: var(--neutral); }
    .key { display: inline-block; width: 0.8rem; height: 0.8rem; vertical-align: baseline; }
    footer { border-top: 1px solid var(--line); }
    @media print {
      header nav, footer, form, .skip { display: none; }
      .card { break-inside: avoid; }
    }

    """#
}
