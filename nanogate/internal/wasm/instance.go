package wasm

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// instance is a guest with a memory of its own. It does one thing at a time.
type instance struct {
	module   *module
	guest    api.Module
	request  api.Function
	response api.Function
	features Features // that it has enabled while it started
	gone     bool     // guarded by the module's lock

	until time.Time // when what it does now must be over
	said  tail
}

// callKey is by what host functions find the call that they are a part of.
type callKey struct{}

// call is one turn of a guest: what it may do, and with what.
type call struct {
	in       *instance
	x        *Exchange // nil: the guest starts
	after    bool      // the response is in
	features Features
	read     [2]int // bytes that were read of the request's body, and of the response's
	wrote    [2]bool
}

// start makes an instance. Its start functions are those of programs and of reactors
// (https://github.com/WebAssembly/WASI, application ABI): what either sets up stays.
func (m *module) start() (*instance, error) {
	in := &instance{module: m}
	in.until = time.Now().Add(startTime)
	ctx, cancel := context.WithDeadline(context.Background(), in.until)
	defer cancel()
	c := &call{in: in}
	rules := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize", "_start").
		WithSysWalltime().WithSysNanotime().WithNanosleep(in.sleep).WithRandSource(rand.Reader).
		WithStdout(&in.said).WithStderr(&in.said)
	guest, err := m.runtime.InstantiateModule(context.WithValue(ctx, callKey{}, c), m.code, rules)
	if err == nil && guest.IsClosed() {
		err = fmt.Errorf("it exited while it started")
	}
	if err != nil {
		f := failureOf(err)
		if f.Reason == Late {
			f.Err = fmt.Errorf("it takes longer than %s", startTime)
		}
		return nil, fmt.Errorf("it can't be started: %s%s", brief(f.Err), in.said.quoted())
	}
	in.guest, in.features = guest, c.features
	in.request, in.response = guest.ExportedFunction(handleRequest), guest.ExportedFunction(handleResponse)
	return in, nil
}

// sleep lets a guest sleep, but not for longer than it may take.
func (in *instance) sleep(ns int64) {
	if d := min(time.Duration(ns), time.Until(in.until)); d > 0 {
		time.Sleep(d)
	}
}

// run calls a function of the guest. After an error the instance is of no use any more.
func (in *instance) run(c *call, f api.Function, params ...uint64) (results []uint64, failure *Failure) {
	in.until = time.Now().Add(in.module.limits.Time)
	in.said.reset()
	ctx, cancel := context.WithDeadline(context.WithValue(context.Background(), callKey{}, c), in.until)
	defer cancel()
	results, err := f.Call(ctx, params...)
	if err == nil && ctx.Err() != nil { // it was about to be stopped, and perhaps has been
		err = ctx.Err()
	}
	if err == nil && in.guest.IsClosed() {
		err = errClosed
	}
	if err != nil {
		failure = failureOf(err)
		failure.Said = in.said.text()
	}
	return results, failure
}

var errClosed = fmt.Errorf("its instance was closed")

func (in *instance) close() { _ = in.guest.Close(context.Background()) } // that it was closed before is no error

// tail keeps the end of what a guest writes: Go, Rust and others write there why they
// panic.
type tail struct {
	mu sync.Mutex
	b  []byte
}

const mostSaid = 2 << 10 // bytes

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if n > mostSaid {
		b = b[n-mostSaid:]
	}
	if over := len(t.b) + len(b) - mostSaid; over > 0 {
		t.b = t.b[:copy(t.b, t.b[over:])]
	}
	t.b = append(t.b, b...)
	return n, nil
}

func (t *tail) reset() {
	t.mu.Lock()
	t.b = t.b[:0]
	t.mu.Unlock()
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}

// quoted is the text behind a message, if there is one.
func (t *tail) quoted() string {
	if text := t.text(); text != "" {
		return fmt.Sprintf("; it wrote %q", text)
	}
	return ""
}
