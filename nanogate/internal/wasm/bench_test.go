package wasm

import (
	"path/filepath"
	"testing"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// BenchmarkGuest is what a plug-in costs of a request and its response, with the copies that
// the guest works on and without the two ways to a worker and back: one that does nothing, and
// one that does what nanogate/internal/middleware's benchmark does in Go.
func BenchmarkGuest(b *testing.B) {
	const data = "user-agentx-agentx-bygateserver"
	nothing := wt.Guest{}
	stamp := wt.Guest{
		Imports: []string{"get_header_values", "set_header_value", "remove_header"}, Data: data,
		Request: wt.Code(wt.I32(0), wt.I32(0), wt.I32(10), wt.I32(64), wt.I32(64), wt.Call(0), wt.Drop, // user-agent, to 64
			wt.I32(0), wt.I32(10), wt.I32(7), wt.I32(64), wt.I32(4), wt.Call(1), wt.I64(1)), // x-agent
		Response: wt.Code(wt.I32(1), wt.I32(25), wt.I32(6), wt.Call(2), wt.I32(1), wt.I32(17), wt.I32(4), wt.I32(21), wt.I32(4), wt.Call(1)), // server; x-by: gate
	}
	r := requesttest.Parse(b, "GET /a/b?c=d HTTP/1.1\r\nHost: example.com\r\nUser-Agent: test\r\nAccept: */*\r\nCookie: a=b; c=d\r\n\r\n")
	head, buf := r.Head, r.Buf
	text := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nServer: up\r\nContent-Length: 2\r\n\r\n")
	parsed := &http1.ResponseHead{}
	if n, err := parsed.Parse(text, false, nil); n != len(text) || err != nil {
		b.Fatal(n, err)
	}
	response := &request.Response{}
	for name, guest := range map[string]wt.Guest{"nothing": nothing, "stamp": stamp} {
		m := compiled(b, guest, generous)
		p := &Plugin{Name: "test", Counts: &Counts{}}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Begin(head, buf)
				response.Begin(parsed, text)
				t := &turn{p: p, m: m, x: exchangeOf(r)}
				if next, failure := t.request(); !next || failure != nil {
					b.Fatal(next, failure)
				}
				t.x.pass(r)
				t.x.respond(response, nil)
				if failure := t.response(false); failure != nil {
					b.Fatal(failure)
				}
				t.x.give(response, nil)
			}
			if by, _ := response.Header("x-by"); name == "stamp" && string(by) != "gate" {
				b.Errorf("X-By: %q", by)
			}
		})
	}
}

// BenchmarkCompile is what it takes to read a plug-in, with what was compiled before on disk
// and without.
func BenchmarkCompile(b *testing.B) {
	guest := wt.Guest{Extra: largeCode()}.Module()
	for name, codes := range map[string]*Codes{"compiled": nil, "from disk": {Dir: filepath.Join(b.TempDir(), "plugins")}} {
		b.Run(name, func(b *testing.B) {
			read := func() {
				m, err := compile(guest, nil, generous, codes, func(Level, string) {})
				if err != nil || m.unkept != nil {
					b.Fatal(err, m.unkept)
				}
				_ = m.runtime.Close(b.Context())
			}
			read() // which what is kept is there from
			for b.Loop() {
				read()
			}
		})
	}
}

// largeCode is a function that takes a while to be compiled.
func largeCode() (code []byte) {
	for n := range int64(5000) {
		code = append(code, wt.Code(wt.I32(n), 0x28, 2, 0, wt.I32(n), 0x6a, wt.Drop)...) // load(n) + n
	}
	return code
}
