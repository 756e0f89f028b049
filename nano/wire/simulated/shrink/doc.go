// Package shrink makes a scenario in which something doesn't hold smaller, as long as it doesn't:
// what makes no difference goes, many things at a time and fewer when many won't do (delta
// debugging: Zeller and Hildebrandt, IEEE TSE 28(2), 2002), and what is left is made plain in the
// same way.
//
// A simulator says what its scenarios consist of, by lists whose members may go ([Without],
// [Fewest]) and by edits that make one thing plainer ([Change], [Lower], [Together]). All of them
// change the scenario in place.
package shrink
