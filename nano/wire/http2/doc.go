// Package http2 is the HTTP/2 codec (RFC 9113, RFC 7541): pure functions and small
// state machines over bytes, for both roles. It does no I/O and reads no clock.
//
// It is part of the wire below nano and the lab, and may change with any version.
package http2
