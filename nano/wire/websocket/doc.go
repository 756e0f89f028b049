// Package websocket is the codec of WebSockets (RFC 6455): frames, their masks, close
// statuses and the keys of the handshake, as pure functions and a small state machine
// over bytes, for both roles. It does no I/O and knows no clock.
//
// A [Reader] follows what one side sends, in whatever pieces it comes, and holds it to
// the RFC: it fails with a [Violation] at the first byte that is wrong. [AppendFrame]
// writes frames. Extensions are not known here, but for the bit by which
// permessage-deflate (RFC 7692) marks a message.
package websocket
