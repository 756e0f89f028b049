// Package found says what a search for a capacity, a sweep over connections and an
// overload have found: as a document for programs, as text, and as a page with curves.
package found
