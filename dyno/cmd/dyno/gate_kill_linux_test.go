package main

import (
	"os"
	"strings"
	"testing"
)

// A second gate says why it can't measure; the first, interrupted, leaves neither
// a checkout nor a process behind.
func TestGateInterrupted(t *testing.T) {
	t.Parallel()
	dir := gateRepository(t, quickWork)
	args := []string{"gate", "bench/gate.yaml", "--against", "main", "--blocks", "100"}
	s := start(t, dir, args...)
	s.comesTo(t, "the first trial's end", func() bool { return strings.Contains(s.stderr.String(), "\n  1/200") })
	second := dyno(t, dir, args...)
	second.want(t, 3, second.stderr, "can't tell: another study is being measured on this machine", "wait for it to end")
	s.signal(t, os.Interrupt)
	o := s.wait(t)
	o.want(t, 130, o.stderr, "dyno: interrupted")
	allEnded(t, dir)
	noCheckoutLeft(t, dir)
}
