//go:build race

package metrics_test

// racing: the race detector is on, which makes sync.Pool forget at random.
const racing = true
