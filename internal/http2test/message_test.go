package http2test

import (
	"bytes"
	"io"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"dyno.example/nano/wire/http2"
)

// FuzzRequestHead gives the same field block to a server and to x/net's framer: a
// request that is taken here is one there, with the same parts. More is refused here.
func FuzzRequestHead(f *testing.F) {
	for _, fields := range [][][2]string{
		{{":method", "GET"}, {":scheme", "http"}, {":authority", "h"}, {":path", "/"}, {"cookie", "a=1"}, {"cookie", "b=2"}},
		{{":method", "POST"}, {":scheme", "https"}, {":path", "/a?b"}, {"host", "h:1"}, {"te", "trailers"}, {"content-length", "5"}},
		{{":method", "CONNECT"}, {":authority", "h:443"}},
		{{":method", "OPTIONS"}, {":scheme", "http"}, {":authority", "[::1]"}, {":path", "*"}, {"x", "\xff y\t"}},
		{{":method", "GET"}, {"x", "y"}, {":path", "/"}},
	} {
		var b bytes.Buffer
		e := hpack.NewEncoder(&b)
		for _, f := range fields {
			e.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
		}
		f.Add(b.Bytes())
	}
	cfg := http2.NewConfig(http2.Config{Server: true})
	f.Fuzz(func(t *testing.T, block []byte) {
		if len(block) > http2.MinMaxFrame {
			return
		}
		var c http2.Conn
		c.Start(cfg, new(http2.Pool), 0)
		wire := append([]byte(http2.Preface), http2.AppendSettings(nil, &cfg.Settings, false)...)
		head := http2.AppendHeaders(nil, 1, block, false, http2.MinMaxFrame)
		n, ev, err := c.Next(append(wire, head...), 0)
		if err != nil || ev.Kind != http2.EventSettings {
			t.Fatalf("%+v, %v", ev, err)
		}
		if _, ev, err = c.Next(append(wire, head...)[n:], 0); err != nil || ev.Kind != http2.EventHead {
			return
		}
		theirs := xhttp2.NewFramer(io.Discard, bytes.NewReader(head))
		theirs.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		frame, err := theirs.ReadFrame()
		if err != nil {
			t.Fatalf("%x: theirs refuse it: %v", block, err)
		}
		meta, h := frame.(*xhttp2.MetaHeadersFrame), ev.Header
		for name, span := range map[string]http2.Span{"method": h.Method, "path": h.Path, "scheme": h.Scheme, "protocol": h.Protocol} {
			if got := string(span.Of(h.Bytes)); got != meta.PseudoValue(name) {
				t.Fatalf("%x: :%s %q, theirs %q", block, name, got, meta.PseudoValue(name))
			}
		}
		if a := meta.PseudoValue("authority"); a != "" && a != string(h.Authority.Of(h.Bytes)) {
			t.Fatalf("%x: :authority %q, theirs %q", block, h.Authority.Of(h.Bytes), a)
		}
		sameRegular(t, h, meta.RegularFields())
	})
}

// sameRegular compares fields; cookies are one of ours and may be several of theirs.
func sameRegular(t *testing.T, h *http2.Header, theirs []hpack.HeaderField) {
	t.Helper()
	ours := h.Fields
	cookies, seen := "", 0
	for _, w := range theirs {
		if w.Name == "cookie" {
			if seen++; seen > 1 {
				cookies += "; "
			}
			cookies += w.Value
			if seen > 1 {
				continue
			}
		}
		if len(ours) == 0 {
			t.Fatalf("%v is missing", w)
		}
		name, value := ours[0].Name.Of(h.Bytes), ours[0].Value.Of(h.Bytes)
		if string(name) != w.Name || w.Name != "cookie" && string(value) != w.Value {
			t.Fatalf("%s: %q, theirs %v", name, value, w)
		}
		ours = ours[1:]
	}
	if got, _ := h.FindKnown(http2.NameCookie); len(ours) > 0 || string(got) != cookies {
		t.Fatalf("%d fields more, cookies %q, theirs %q", len(ours), got, cookies)
	}
}
