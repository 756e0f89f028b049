package wasm

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/api"

	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// Guests that do what they shouldn't: each call ends with a failure of its kind, and the
// next one, with another instance, is none the worse.
func TestHostileGuests(t *testing.T) {
	clock := make([]byte, 48) // a subscription of poll_oneoff: to the monotonic clock, in an hour
	clock[8], clock[16] = 0, 1
	binary.LittleEndian.PutUint64(clock[24:], uint64(time.Hour))
	quick := generous
	quick.Time = 20 * time.Millisecond
	for _, one := range []struct {
		name   string
		guest  wt.Guest
		limits Limits
		want   Reason
		text   string
	}{
		{"a loop", wt.Guest{Request: wt.Code(wt.Forever, wt.I64(1))}, quick, Late, "longer"},
		{"a loop that calls", wt.Guest{Imports: []string{"log_enabled"}, Request: wt.Code(0x03, 0x40, wt.I32(0), wt.Call(0), wt.Drop, 0x0c, 0x00, wt.End, wt.I64(1))}, quick, Late, "longer"},
		{"sleep", wt.Guest{Imports: []string{"poll_oneoff"}, Data: string(clock), Request: wt.Code(wt.I32(0), wt.I32(64), wt.I32(1), wt.I32(128), wt.Call(0), wt.Drop, wt.Forever, wt.I64(1))}, quick, Late, "longer"},
		{"a panic", wt.Guest{Request: wt.Code(wt.Unreachable)}, generous, Trapped, "unreachable"},
		{"recursion", wt.Guest{Request: wt.Code(wt.Call(2), wt.I64(1)), Extra: wt.Code(wt.Call(2))}, generous, Trapped, "stack overflow"},
		{"a read beyond the memory", wt.Guest{Request: wt.Code(wt.I32(-1), 0x28, 2, 0, wt.Drop, wt.I64(1))}, generous, Trapped, "out of bounds"},
		{"exit", wt.Guest{Imports: []string{"proc_exit"}, Request: wt.Code(wt.I32(3), wt.Call(0), wt.I64(1))}, generous, Exited, "code 3"},
		{"exit without an error", wt.Guest{Imports: []string{"proc_exit"}, Request: wt.Code(wt.I32(0), wt.Call(0), wt.I64(1))}, generous, Exited, "code 0"},
		{"neither on nor responded", wt.Guest{Request: wt.I64(2)}, generous, Forbidden, "neither"},
		{"a method with a space", wt.Guest{Imports: []string{"set_method"}, Data: "GET /", Request: wt.Code(wt.I32(0), wt.I32(5), wt.Call(0), wt.I64(1))}, generous, Forbidden, "method"},
		{"HEAD", wt.Guest{Imports: []string{"set_method"}, Data: "HEAD", Request: wt.Code(wt.I32(0), wt.I32(4), wt.Call(0), wt.I64(1))}, generous, Forbidden, "HEAD"},
		{"a path above the root", wt.Guest{Imports: []string{"set_uri"}, Data: "/../../etc", Request: wt.Code(wt.I32(0), wt.I32(10), wt.Call(0), wt.I64(1))}, generous, Forbidden, "path"},
		{"a URI with lines", wt.Guest{Imports: []string{"set_uri"}, Data: "/a\r\nX: b", Request: wt.Code(wt.I32(0), wt.I32(8), wt.Call(0), wt.I64(1))}, generous, Forbidden, "path"},
		{"a URL", wt.Guest{Imports: []string{"set_uri"}, Data: "http://x/", Request: wt.Code(wt.I32(0), wt.I32(9), wt.Call(0), wt.I64(1))}, generous, Forbidden, "path"},
		{"a field with lines", wt.Guest{Imports: []string{"set_header_value"}, Data: "ab\r\nc: d", Request: wt.Code(wt.I32(0), wt.I32(0), wt.I32(1), wt.I32(1), wt.I32(7), wt.Call(0), wt.I64(1))}, generous, Forbidden, "value"},
		{"a field without a name", wt.Guest{Imports: []string{"add_header_value"}, Data: "ab", Request: wt.Code(wt.I32(0), wt.I32(0), wt.I32(0), wt.I32(1), wt.I32(1), wt.Call(0), wt.I64(1))}, generous, Forbidden, "name"},
		{"a trailer", wt.Guest{Imports: []string{"add_header_value"}, Data: "ab", Request: wt.Code(wt.I32(2), wt.I32(0), wt.I32(1), wt.I32(1), wt.I32(1), wt.Call(0), wt.I64(1))}, generous, Forbidden, "trailers"},
		{"a second host", wt.Guest{Imports: []string{"add_header_value"}, Data: "host", Request: wt.Code(wt.I32(0), wt.I32(0), wt.I32(4), wt.I32(0), wt.I32(4), wt.Call(0), wt.I64(1))}, generous, Forbidden, "host"},
		{"no host", wt.Guest{Imports: []string{"remove_header"}, Data: "host", Request: wt.Code(wt.I32(0), wt.I32(0), wt.I32(4), wt.Call(0), wt.I64(1))}, generous, Forbidden, "host"},
		{"fields without end", wt.Guest{Imports: []string{"add_header_value"}, Data: "ab", Request: wt.Code(0x03, 0x40, wt.I32(0), wt.I32(0), wt.I32(1), wt.I32(1), wt.I32(1), wt.Call(0), 0x0c, 0x00, wt.End, wt.I64(1))}, generous, Forbidden, "fields"},
		{"a response without end", wt.Guest{Imports: []string{"write_body"}, Request: wt.Code(0x03, 0x40, wt.I32(1), wt.I32(0), wt.I32(1<<16), wt.Call(0), 0x0c, 0x00, wt.End, wt.I64(0))}, generous, Forbidden, "body"},
		{"a body nobody has read", wt.Guest{Imports: []string{"read_body"}, Request: wt.Code(wt.I32(0), wt.I32(0), wt.I32(10), wt.Call(0), wt.Drop, wt.I64(1))}, generous, Forbidden, "buffer_request"},
		{"a response that isn't there", wt.Guest{Imports: []string{"read_body"}, Request: wt.Code(wt.I32(1), wt.I32(0), wt.I32(10), wt.Call(0), wt.Drop, wt.I64(1))}, generous, Forbidden, "handle_response"},
		{"an interim status", wt.Guest{Imports: []string{"set_status_code"}, Request: wt.Code(wt.I32(101), wt.Call(0), wt.I64(0))}, generous, Forbidden, "status"},
	} {
		t.Run(one.name, func(t *testing.T) {
			m := compiled(t, one.guest, one.limits)
			for range 2 {
				turn, _, failure := ask(t, m, &Exchange{Method: "GET", URI: "/"})
				if failure == nil {
					t.Fatal("it didn't fail")
				}
				if failure.Reason != one.want || !strings.Contains(failure.Error(), one.text) {
					t.Errorf("%v, wanted %v: … %s …", failure, one.want, one.text)
				}
				if n := turn.p.Counts.Requests.Load(); n != 1 {
					t.Errorf("%d calls were counted", n)
				}
			}
			if _, n := m.memory(); n != 0 && one.name != "neither on nor responded" { // which is wrong, but it was not stopped anywhere
				t.Errorf("%d instances are left", n)
			}
		})
	}
}

// Whatever place in its memory a guest names, it is one of its own, or the call ends.
func TestPointersOfGuests(t *testing.T) {
	const size = pageSize
	wrong := []int64{size, size - 4, 0x7fffffff, 0x80000000, 0xfffffff8}
	for _, f := range hostFunctions {
		n := len(f.params)
		if n < 2 { // it names no place
			continue
		}
		for _, at := range wrong {
			for first := range n - 1 { // at and length may be any two that follow each other
				var args []any
				for i := range n {
					switch i {
					case first:
						args = append(args, wt.I32(at))
					case first + 1:
						args = append(args, wt.I32(64))
					default:
						args = append(args, wt.I32(1))
					}
				}
				args = append(args, wt.Call(0))
				if len(f.results) > 0 {
					args = append(args, wt.Drop)
				}
				g := wt.Guest{Imports: []string{f.name}, Data: "x", Request: wt.Code(append(args, wt.I64(1))...)}
				m := compiled(t, g, generous)
				x := &Exchange{Method: strings.Repeat("M", 40), URI: "/" + strings.Repeat("u", 40), Proto: strings.Repeat("P", 40), Source: strings.Repeat("1", 40), Body: make([]byte, 40)}
				x.Fields.Add("x", strings.Repeat("v", 40))
				m.config = make([]byte, 40)
				_, _, failure := ask(t, m, x)
				if failure != nil && failure.Reason != Forbidden {
					t.Errorf("%s with %#x as parameter %d: %v", f.name, at, first, failure)
				}
			}
		}
	}
}

// What a guest asks of WASI that would be outside of it isn't there.
func TestGuestsHaveNothingOutside(t *testing.T) {
	for _, one := range []struct {
		name string
		args int
		wide []int // parameters that are of 64 bits
		want int   // errno of WASI
	}{
		{"fd_prestat_get", 2, nil, 8},    // badf: there is no directory
		{"path_open", 9, []int{5, 6}, 8}, //
		{"sock_accept", 3, nil, 8},       //
	} {
		var args []any
		for i := range one.args {
			switch {
			case i == 0:
				args = append(args, wt.I32(3))
			case len(one.wide) > 0 && (i == one.wide[0] || i == one.wide[1]):
				args = append(args, wt.I64(0))
			default:
				args = append(args, wt.I32(0))
			}
		}
		g := wt.Guest{Imports: []string{one.name}, Request: wt.Code(wt.Code(args...), wt.Call(0), 0xad, wt.I64(32), 0x86, wt.I64(1), 0x84)} // i64.extend_i32_u, shl, or
		m := compiled(t, g, generous)
		turn, next, failure := ask(t, m, &Exchange{Method: "GET", URI: "/"})
		if failure != nil || !next {
			t.Errorf("%s: %v", one.name, failure)
		}
		if int(turn.id) != one.want {
			t.Errorf("%s gave %d, wanted %d", one.name, turn.id, one.want)
		}
	}
}

// A guest gets as much memory as its limit says, and no more: it is told so, and goes on.
func TestMemoryOfGuests(t *testing.T) {
	limits := generous
	limits.Memory = 4 * pageSize
	// It grows page by page until that fails, and says how many pages it has.
	g := wt.Guest{Imports: []string{"set_status_code"}, Request: wt.Code(
		0x03, 0x40, wt.I32(1), 0x40, 0, wt.I32(-1), 0x47, 0x0d, 0, wt.End, // loop: memory.grow(1) != -1: again
		wt.I32(200), 0x3f, 0, 0x6a, wt.Call(0), wt.I64(0))} // set_status_code(200 + memory.size)
	m := compiled(t, g, limits)
	turn, _, failure := ask(t, m, &Exchange{Method: "GET", URI: "/"})
	if failure != nil {
		t.Fatal(failure)
	}
	if turn.x.Status != 204 {
		t.Errorf("it got %d pages, and may have 4", turn.x.Status-200)
	}
}

// Modules that can't be plug-ins are refused when they are read, with the reason.
func TestModulesThatAreNone(t *testing.T) {
	good := wt.Guest{}.Module()
	functions := []byte{0x70, 0}
	limits := generous
	for name, one := range map[string]struct {
		binary []byte
		want   string
	}{
		"empty":                        {nil, "magic"},
		"a text":                       {[]byte("#!/bin/sh\nexit 1\n"), "magic"},
		"cut off":                      {good[:len(good)-3], "cut off"},
		"nonsense":                     {append(good[:8:8], 1, 2, 9, 9), "compiled"},
		"no handle_request":            {wt.Guest{Without: handleRequest}.Module(), "handle_request"},
		"no handle_response":           {wt.Guest{Without: handleResponse}.Module(), "handle_response"},
		"no memory":                    {wt.Guest{Without: "memory"}.Module(), "memory"},
		"too much memory":              {wt.Guest{Pages: 1000}.Module(), "1000 pages"},
		"a large table":                {wt.Guest{Table: wt.Section(4, append(functions, binary.AppendUvarint(nil, 1<<26)...))}.Module(), "table"},
		"a table of others":            {wt.Guest{Table: wt.Section(4, []byte{0x6f, 0, 1})}.Module(), "table"},
		"a table that is initialized":  {wt.Guest{Table: wt.Section(4, []byte{0x40, 0, 0x70, 0, 1, 0xd0, 0x70, wt.End})}.Module(), "table"},
		"a table that grows":           {wt.Guest{Table: wt.Section(4, append(functions, 1)), Request: wt.Code(0xd0, 0x70, wt.I32(1), 0xfc, 15, 0, wt.Drop, wt.I64(1))}.Module(), "reference-types"},
		"a start that panics":          {wt.Guest{Begin: wt.Code(wt.Unreachable)}.Module(), "started"},
		"a start that exits":           {wt.Guest{Imports: []string{"proc_exit"}, Begin: wt.Code(wt.I32(0), wt.Call(0))}.Module(), "exited"},
		"a start that wants a request": {wt.Guest{Imports: []string{"set_status_code"}, Begin: wt.Code(wt.I32(200), wt.Call(0))}.Module(), "no request"},
		"a start section that does":    {wt.Guest{Imports: []string{"set_status_code"}, Extra: wt.Code(wt.I32(200), wt.Call(0)), Start: true}.Module(), "no request"},
		"an import nobody has":         {[]byte(strings.Replace(string(wt.Guest{Imports: []string{"log"}}.Module()), "http_handler\x03log", "http_handler\x03lag", 1)), "lag"},
		"another result":               {wt.Guest{Result: wt.Number32, Request: wt.I32(1)}.Module(), "parameters or results"},
	} {
		_, err := compile(one.binary, nil, limits, nil, nil)
		if err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%s: %v, wanted … %s …", name, err, one.want)
		}
	}
}

func FuzzCheckTables(f *testing.F) {
	f.Add(wt.Guest{}.Module())
	f.Add(wt.Guest{Table: wt.Section(4, []byte{0x70, 0, 1})}.Module())
	f.Add(wt.Guest{Table: wt.Section(4, []byte{0x70, 0, 0xff, 0xff, 0xff, 0x7f})}.Module())
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := checkTables(b); err == nil && len(b) < 8 {
			t.Error("it is no module")
		} else if err != nil && err.Error() == "" {
			t.Errorf("no reason for %x", b)
		}
	})
}

// The functions that guests are offered are those of the ABI.
func TestHostFunctionsAreTheABI(t *testing.T) {
	for _, f := range hostFunctions {
		var got [2]string
		for i, list := range [][]api.ValueType{f.params, f.results} {
			for _, one := range list {
				got[i] += map[api.ValueType]string{api.ValueTypeI32: "i", api.ValueTypeI64: "l"}[one]
			}
		}
		if got != wt.Types[f.name] {
			t.Errorf("%s is %v, and by the ABI %v", f.name, got, wt.Types[f.name])
		}
	}
	if len(hostFunctions) != len(wt.Types) {
		t.Errorf("there are %d functions, and by the ABI %d", len(hostFunctions), len(wt.Types))
	}
}
