// Package loadcmd has dyno load: one load on one URL, and the flags that all commands that send a
// load share.
package loadcmd
