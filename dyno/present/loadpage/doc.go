// Package loadpage writes the report of a load that has ended, as a page or as Markdown,
// for somebody who was not there: whether what had to hold did, what came back, how long
// it took, second by second, and what it is all worth. The page is one file that runs no
// script and loads nothing.
package loadpage
