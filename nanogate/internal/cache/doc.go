// Package cache stores responses and decides when they may be reused: the rules of RFC
// 9111 for a shared cache, with stale responses as in RFC 5861, and a store bounded by
// bytes. It does no I/O: the loops of the gateway call it.
//
// What is stored isn't changed: a [Response] that was found stays as it is, whatever
// becomes of it in the store meanwhile. Times are nanoseconds of [clock.Now], but for those
// in fields of messages, which are seconds of Unix time.
package cache
