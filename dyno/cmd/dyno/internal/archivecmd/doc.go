// Package archivecmd has the commands about archived runs: list, show, report, verify, push, pull and
// rm.
package archivecmd
