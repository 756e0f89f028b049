// Package present writes figures and lines the way dyno shows them in a terminal: with
// three digits and a unit, a bound as a bound, and nothing that a terminal would obey.
// Reports have a form of their own (package report), for their figures have intervals.
package present
