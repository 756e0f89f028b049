// Package loop is what the event loops of a server and of a gateway have in common: how
// they wait, take messages of other goroutines, keep their connections in tables, accept,
// spread connections over loops, and the [System] that they run on.
//
// It is part of the wire below nano and the lab, and may change with any version.
package loop
