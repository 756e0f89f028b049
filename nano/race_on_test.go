//go:build race

package nano_test

// racing: the race detector is on, which makes sync.Pool forget at random.
const racing = true
