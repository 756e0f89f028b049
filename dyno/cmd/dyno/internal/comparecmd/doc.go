// Package comparecmd has the commands that hold runs against each other: compare, baseline, gate and
// history.
package comparecmd
