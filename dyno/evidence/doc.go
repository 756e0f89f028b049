// Package evidence holds what is known of single requests: where a slow one spent its time,
// beside ordinary ones of the same run.
//
// The load generator says which requests to look at, by connection and time (Sampler); the
// kernel says what happened meanwhile to the server's sockets and threads (Event, read by
// package kernel); Join puts them together into a Record, whose intervals follow each other
// without gap or overlap from the instant at which the request was due to its last byte. What
// no event speaks of is called unexplained. Nothing here reads a clock or a socket.
package evidence
