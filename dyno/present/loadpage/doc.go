// Package loadpage writes the report of a load that has ended, as a page or as Markdown,
// for somebody who was not there: whether what had to hold did, what came back, how long
// it took, second by second, and what it is all worth. The page is one file that runs no
// script and loads nothing.
//
// Its tables are sections of plain rows, which the page and Markdown both read. They are no
// grids of package report: those have subjects for rows, each figure with an interval and a
// ratio to a reference, and drop columns that don't fit; a load has none of that. Package
// loadtext prints less, in lines as wrk's and hey's, and lays out its few tables itself.
package loadpage
