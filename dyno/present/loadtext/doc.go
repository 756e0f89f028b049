// Package loadtext writes a load in the terminal: what is about to happen, its plan,
// and what it came to.
package loadtext
