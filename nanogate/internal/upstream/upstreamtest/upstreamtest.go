// Package upstreamtest watches sources of endpoints as upstreams do, for tests.
package upstreamtest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/internal/upstream"
)

// Patience is how long a test waits for what must come. It is never the time that
// anything takes.
const Patience = 30 * time.Second

// Eventually waits for what must come. is says what there is, and whether that is it.
func Eventually(t testing.TB, is func() (string, bool)) {
	t.Helper()
	for end := time.Now().Add(Patience); ; time.Sleep(time.Millisecond) {
		text, ok := is()
		if ok {
			return
		}
		if time.Now().After(end) {
			t.Fatal(text)
		}
	}
}

// Source is one as discovery has them.
type Source interface {
	upstream.Source
	upstream.Preloaded
	upstream.Reporter
}

// Seen is what an upstream was told by a source.
type Seen struct {
	Source
	Stop func() // ends the watch; may be called again

	mu    sync.Mutex
	told  []string // in turn
	empty bool
}

// Watch watches a source until the test ends. What it tells is kept as the text that it is
// written as.
func Watch(t testing.TB, source Source, text func([]upstream.Instance) string) *Seen {
	t.Helper()
	v := &Seen{Source: source}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		source.Watch(ctx, func(all []upstream.Instance) {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.told = append(v.told, text(all))
			v.empty = v.empty || len(all) == 0
		})
	}()
	v.Stop = func() { cancel(); <-ended }
	t.Cleanup(v.Stop)
	return v
}

// Told is all that was told so far, in turn.
func (v *Seen) Told() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.told)
}

// Now is what was told at last.
func (v *Seen) Now() string {
	if told := v.Told(); len(told) > 0 {
		return told[len(told)-1]
	}
	return "nothing was told"
}

// WasEmpty reports whether it was told at any time that there is nobody.
func (v *Seen) WasEmpty() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.empty
}

// Sees waits until it was told just this.
func (v *Seen) Sees(t testing.TB, want string) {
	t.Helper()
	Eventually(t, func() (string, bool) { now := v.Now(); return fmt.Sprintf("%q, want %q", now, want), now == want })
}

// Live waits until the source is live, or isn't and says why.
func (v *Seen) Live(t testing.TB, want bool) (s upstream.SourceStatus) {
	t.Helper()
	Eventually(t, func() (string, bool) {
		s = v.Status()
		return fmt.Sprintf("%+v", s), s.Live == want && (want || s.Err != "")
	})
	return s
}
