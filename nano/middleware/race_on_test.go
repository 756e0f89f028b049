//go:build race

package middleware

// racing: the race detector is on, which makes sync.Pool forget at random.
const racing = true
