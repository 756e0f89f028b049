// Package report draws an analysis: as a self-contained HTML page, as Markdown,
// CSV and JSON, and as a table for a terminal.
//
// Every format is a pure function of the analysis: the same analysis gives the
// same bytes. Names and texts that users give are shown as they are, never
// obeyed.
//
// A table is made once, by rank and the new…Table functions, with its texts in the
// reader's language: HTML, Markdown and the terminal lay out the same values. CSV has the
// analysis's figures as numbers, which is no table for people. What
// is of one medium alone (the columns that go first on a narrow terminal, in grid) is
// made of these, not of the analysis. A load has tables of its own in present/loadpage
// and present/loadtext, as it is no analysis.
//
// The page is made of templates/ (one file a section), lang/ (all its texts,
// one file a language) and assets/ (its style, the chart library, and one script
// a chart). To add a chart, write assets/NAME.js with a start function, list it
// in scripts, call it from assets/start.js, give it a place in
// templates/charts.html and its texts to every language.
package report
