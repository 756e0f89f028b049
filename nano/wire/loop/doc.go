// Package loop is what the event loops of a server and of a gateway have in common. A loop
// embeds a [Core], which waits and takes messages from other goroutines, keeps its
// connections in a [Table], has its [Listeners] from the [Acceptor] of its server, and runs
// on a [System].
//
// It is part of the wire below nano and the lab, and may change with any version.
package loop
