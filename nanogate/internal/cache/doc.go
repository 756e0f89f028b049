// Package cache keeps responses and says when they may be given again: the rules of
// RFC 9111 for a cache that is shared by all clients, with what RFC 5861 lets be given
// when it is stale, and a store bounded by bytes. It does no input or output: the loops
// of the gateway ask it.
//
// What is stored isn't changed: a [Response] that was found stays as it is, whatever
// becomes of it in the store meanwhile. Times are nanoseconds of [clock.Now], but for those
// in fields of messages, which are seconds of Unix time.
package cache
