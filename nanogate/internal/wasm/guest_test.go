package wasm

import (
	"testing"
	"time"

	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// generous are limits that a busy machine keeps too.
var generous = Limits{Time: time.Minute, Memory: 16 << 20, Instances: 2, Body: 1 << 20}

// compiled makes a module of a guest.
func compiled(t testing.TB, g wt.Guest, limits Limits) *module {
	t.Helper()
	m, err := compile(g.Module(), nil, limits, nil, func(Level, string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.runtime.Close(t.Context()) })
	return m
}

// ask calls the guest with a request.
func ask(t testing.TB, m *module, x *Exchange) (*turn, bool, *Failure) {
	t.Helper()
	p := &Plugin{Name: "test", Counts: &Counts{}}
	p.now.Store(m)
	turn := &turn{p: p, m: m, x: x}
	next, failure := turn.request()
	return turn, next, failure
}
