// Package cli is what all commands of dyno share: exit codes, flags and their values, what is
// wrong with a command line, the places where dyno keeps things, and files that are
// written wholly or not at all.
package cli
