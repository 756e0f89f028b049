package wasm

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// What a guest changes of a request is changed, and nothing else.
func TestGuestChangesRequest(t *testing.T) {
	data := "POST" + "/b?c=d" + "X-New" + "value" + "x-old" + "Content-Length"
	at := func(s string) []byte { return wt.Code(wt.I32(int64(strings.Index(data, s))), wt.I32(int64(len(s)))) }
	g := wt.Guest{
		Imports: []string{"set_method", "set_uri", "set_header_value", "remove_header", "add_header_value"}, Data: data,
		Request: wt.Code(at("POST"), wt.Call(0), at("/b?c=d"), wt.Call(1),
			wt.I32(0), at("X-New"), at("value"), wt.Call(2),
			wt.I32(0), at("X-New"), at("value"), wt.Call(4),
			wt.I32(0), at("x-old"), wt.Call(3),
			wt.I32(0), at("Content-Length"), wt.Call(3), // which does nothing
			wt.I32(1), at("X-New"), at("value"), wt.Call(2), // of the response
			wt.I64(5<<32|1)),
	}
	m := compiled(t, g, generous)
	x := &Exchange{Method: "GET", URI: "/a", Fields: Fields{{"Host", "h"}, {"X-Old", "1"}, {"x-new", "0"}, {"Content-Length", "3"}, {"X-OLD", "2"}}}
	turn, next, failure := ask(t, m, x)
	if failure != nil || !next {
		t.Fatal(next, failure)
	}
	want := Fields{{"Host", "h"}, {"x-new", "value"}, {"Content-Length", "3"}, {"X-New", "value"}}
	if x.Method != "POST" || x.URI != "/b?c=d" || !slices.Equal(x.Fields, want) || !slices.Equal(x.Response, Fields{{"X-New", "value"}}) {
		t.Errorf("%+v", x)
	}
	if !x.Changed.Line || !slices.Equal(x.Changed.Fields, []string{"x-new", "x-old"}) || !slices.Equal(x.Changed.Reply, []string{"x-new"}) {
		t.Errorf("%+v", x.Changed)
	}
	if turn.id != 5 || turn.in == nil {
		t.Errorf("it keeps %d of the request, in the instance %v", turn.id, turn.in)
	}
}

// A guest reads what there is: with room for it, and without.
func TestGuestReads(t *testing.T) {
	for _, one := range []struct {
		function string
		args     []byte // before the place and the room
		want     string
		count    int // of values; 0: it gives no count
	}{
		{"get_method", nil, "GET", 0},
		{"get_uri", nil, "/a?b=c", 0},
		{"get_protocol_version", nil, "HTTP/1.1", 0},
		{"get_source_addr", nil, "192.0.2.7:1234", 0},
		{"get_config", nil, `{"a":1}`, 0},
		{"get_header_names", wt.I32(0), "host\x00x-two\x00", 2},
		{"get_header_values", wt.Code(wt.I32(0), wt.I32(0), wt.I32(5)), "1\x002\x00", 2},
		{"get_header_names", wt.I32(2), "", 0}, // trailers
	} {
		result := []byte{0xad} // i64.extend_i32_u
		if one.function == "get_header_names" || one.function == "get_header_values" {
			result = nil
		}
		for room, want := range map[int64]bool{int64(len(one.want)): true, int64(len(one.want)) - 1: false, 1 << 20: true} {
			if room < 0 {
				continue
			}
			// It gives the length by ctx, and writes what it has read as the response's body.
			g := wt.Guest{Imports: []string{one.function, "write_body"}, Data: "X-TWO", Request: wt.Code(one.args, wt.I32(64), wt.I32(room), wt.Call(0), result,
				wt.I32(1), wt.I32(64), wt.I32(int64(len(one.want))), wt.Call(1), wt.I64(32), 0x86, wt.I64(1), 0x84)}
			m := compiled(t, g, generous)
			m.features = BufferResponse
			m.config = []byte(`{"a":1}`)
			x := &Exchange{Method: "GET", URI: "/a?b=c", Proto: "HTTP/1.1", Source: "192.0.2.7:1234", Fields: Fields{{"Host", "h"}, {"X-Two", "1"}, {"x-two", "2"}}}
			turn, _, failure := ask(t, m, x)
			if failure != nil {
				t.Fatalf("%s: %v", one.function, failure)
			}
			if int(turn.id) != len(one.want) {
				t.Errorf("%s gave the length %d, and it is %d", one.function, turn.id, len(one.want))
			}
			if got := string(x.Content); (got == one.want) != want && len(one.want) > 0 {
				t.Errorf("%s with room for %d wrote %q", one.function, room, got)
			}
		}
	}
}

// Bodies are read and written by who has enabled that while it started; and a guest that
// asks for what there isn't is told so.
func TestGuestBodies(t *testing.T) {
	g := wt.Guest{
		Imports: []string{"enable_features", "read_body", "write_body"},
		Begin:   wt.Code(wt.I32(7), wt.Call(0), 0x45, 0x04, 0x40, wt.Unreachable, wt.End), // if there are none: panic
		Request: wt.Code(wt.I32(0), wt.I32(64), wt.I32(4), wt.Call(1), wt.Drop, wt.I32(0), wt.I32(64), wt.I32(100), wt.Call(1), wt.Drop, // "abcd", then the rest over it
			wt.I32(0), wt.I32(64), wt.I32(4), wt.Call(2), wt.I32(0), wt.I32(64), wt.I32(1), wt.Call(2), wt.I64(1)),
	}
	m := compiled(t, g, generous)
	if m.features != BufferRequest|BufferResponse {
		t.Errorf("enabled are %b", m.features)
	}
	x := &Exchange{Method: "POST", URI: "/", Body: []byte("abcdefgh")}
	if _, _, failure := ask(t, m, x); failure != nil {
		t.Fatal(failure)
	}
	if string(x.Body) != "efghe" || !x.Changed.Body {
		t.Errorf("the body is %q", x.Body)
	}
}

// What a guest keeps of a request is in the instance that gets its response.
func TestResponseGoesToWhereTheRequestWas(t *testing.T) {
	// The first call of an instance stores the number of the call before at 0.
	g := wt.Guest{Imports: []string{"set_status_code"},
		Request:  wt.Code(wt.I32(0), wt.I32(0), 0x28, 2, 0, wt.I32(1), 0x6a, 0x36, 2, 0, wt.I32(0), 0x35, 2, 0, wt.I64(32), 0x86, wt.I64(1), 0x84), // i32.store(0, load(0)+1); ctx = load(0)
		Response: wt.Code(0x20, 0, wt.I32(0), 0x28, 2, 0, wt.I32(200), 0x6a, wt.Call(0), wt.Drop)}                                                  // status = 200 + load(0)
	m := compiled(t, g, generous)
	first, _ := m.take(nil)
	a, _, failure := ask(t, m, &Exchange{Method: "GET"}) // by a second instance
	if failure != nil || a.in == first {
		t.Fatal(failure)
	}
	m.put(first, true) // which is the one that would be taken now
	a.x.Status = 299
	if failure := a.response(false); failure != nil || a.x.Status != 201 {
		t.Errorf("%v, and its status is %d", failure, a.x.Status)
	}
	in, _ := m.take(a.in)
	m.put(in, false)
	if failure := a.response(false); failure == nil || failure.Reason != Unstarted {
		t.Errorf("an instance that is gone: %v", failure)
	}
}

// There are never more instances than there may be, however many requests there are.
func TestInstancesAreBounded(t *testing.T) {
	m := compiled(t, wt.Guest{}, generous)
	var wg sync.WaitGroup
	var mu sync.Mutex
	most := 0
	for range 8 {
		wg.Go(func() {
			for range 50 {
				in, err := m.take(nil)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				_, n := m.memory()
				most = max(most, n)
				mu.Unlock()
				m.put(in, n%2 == 0)
			}
		})
	}
	wg.Wait()
	if most > generous.Instances {
		t.Errorf("there were %d, and may be %d", most, generous.Instances)
	}
}

// A file that changes is read again, and what can't be used doesn't take the place of what
// is there.
func TestFileIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.wasm")
	at := time.Now().Add(-time.Hour)
	write := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Second) // a clock of a file system may be as coarse as that
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	statusOfPlugin := func(p *Plugin) string {
		t.Helper()
		turn := &turn{p: p, m: p.now.Load(), x: &Exchange{Method: "GET", URI: "/"}}
		if _, failure := turn.request(); failure != nil {
			t.Fatal(failure)
		}
		return string(turn.x.Content)
	}
	says := func(text string) []byte {
		return wt.Guest{Imports: []string{"write_body"}, Data: text, Request: wt.Code(wt.I32(1), wt.I32(0), wt.I32(int64(len(text))), wt.Call(0), wt.I64(0))}.Module()
	}
	rules := config.Plugin{Name: "p", File: file, Time: generous.Time, Memory: generous.Memory, Instances: 1, Body: 100, Queue: config.Queue{Size: 1}}
	if _, err := Check(&rules); err == nil {
		t.Error("a file that isn't there is no problem")
	}
	write(says("one"))
	var log bytes.Buffer
	p, err := open(&rules, nil, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name    string
		do      func()
		want    string
		problem string
	}{
		{"nothing", func() {}, "one", ""},
		{"another", func() { write(says("two")) }, "two", ""},
		{"a part of one", func() { write(says("three")[:40]) }, "two", "cut off"},
		{"it is away", func() { os.Remove(file) }, "two", "no such file"},
		{"away for longer", func() {}, "two", "no such file"},
		{"one again", func() { write(says("four")) }, "four", ""},
	} {
		step.do()
		p.Look()
		if got := statusOfPlugin(p); got != step.want {
			t.Errorf("%s: %q, wanted %q", step.name, got, step.want)
		}
		if got := p.Problem(); (got != "") != (step.problem != "") || !strings.Contains(got, step.problem) {
			t.Errorf("%s: the problem is %q, wanted %q", step.name, got, step.problem)
		}
	}
	if n := strings.Count(log.String(), "no such file"); n != 1 {
		t.Errorf("that it is away was logged %d times:\n%s", n, log.String())
	}
	rules.SHA256 = fmt.Sprintf("%x", sha256.Sum256(says("four")))
	if _, err := Check(&rules); err != nil {
		t.Error(err)
	}
	rules.SHA256 = fmt.Sprintf("%x", sha256.Sum256(says("five")))
	if _, err := Check(&rules); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("a file with another sum: %v", err)
	}
}

// What a guest logs is logged, and once a second.
func TestGuestLogs(t *testing.T) {
	var log bytes.Buffer
	p := &Plugin{Name: "talker", Counts: &Counts{}, log: slog.New(slog.NewTextHandler(&log, nil))}
	g := wt.Guest{Imports: []string{"log"}, Data: "hello", Request: wt.Code(wt.I32(1), wt.I32(0), wt.I32(5), wt.Call(0), wt.I32(-1), wt.I32(0), wt.I32(5), wt.Call(0), wt.I64(1))}
	m, err := compile(g.Module(), nil, generous, nil, p.message)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for range 3 {
		if _, _, failure := ask(t, m, &Exchange{Method: "GET"}); failure != nil {
			t.Fatal(failure)
		}
	}
	if n := strings.Count(log.String(), "text=hello"); n < 1 || n > 1+int(time.Since(began)/time.Second) || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("it was logged %d times: %s", n, log.String())
	}
}
