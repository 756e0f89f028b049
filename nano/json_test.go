package nano

import (
	"context"
	"encoding/json"
	"math"
	"net/netip"
	"testing"

	"dyno.example/nano/internal/exchange"
)

func FuzzAppendJSONString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "<a>&", "é世\U0001F600", "\xff\xc3", "\u2028\u2029", "a\xe2\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendJSONString(nil, s, true); string(got) != string(want) {
			t.Errorf("html: got %s, want %s", got, want)
		}
		var back, as string
		got := AppendJSONString(nil, []byte(s), false)
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%q gave %s: %v", s, got, err)
		}
		if err := json.Unmarshal(want, &as); err != nil || back != as {
			t.Errorf("%q came back as %q, want %q", s, back, as)
		}
	})
}

func FuzzAppendJSONFloat(f *testing.F) {
	for _, v := range []float64{0, 1, -1.5, 1e-7, 1e21, 1e20, math.MaxFloat64, math.SmallestNonzeroFloat64, 123456789.125} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		want, err := json.Marshal(v)
		if err != nil {
			want = []byte("null")
		}
		if got := AppendJSONFloat(nil, v); string(got) != string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestJSONWriter(t *testing.T) {
	for _, tt := range []struct {
		want  string
		write func(w *JSONWriter)
	}{
		{`{}`, func(w *JSONWriter) { w.Object().End() }},
		{`[]`, func(w *JSONWriter) { w.Array().End() }},
		{`7`, func(w *JSONWriter) { w.Int(7) }},
		{`{"a":1,"b":[true,null,"x",{"c":-2.5}],"d":{}}`, func(w *JSONWriter) {
			w.Object().Key("a").Int(1).Key("b").Array().Bool(true).Null().String("x").Object().Key("c").Float(-2.5).End().End().Key("d").Object().End().End()
		}},
		{`["\u003c",18446744073709551615,"v"]`, func(w *JSONWriter) {
			w.EscapeHTML().Array().String("<").Uint(math.MaxUint64).View(View("v")).End()
		}},
		{`"<"`, func(w *JSONWriter) { w.String("<") }},
		{"", func(w *JSONWriter) {}},
		{"", func(w *JSONWriter) { w.Object() }},
		{"", func(w *JSONWriter) { w.Object().Int(1).End() }},
		{"", func(w *JSONWriter) { w.Object().Key("a").End() }},
		{"", func(w *JSONWriter) { w.Object().Key("a").Key("b").Int(1).End() }},
		{"", func(w *JSONWriter) { w.Array().Key("a").Int(1).End() }},
		{"", func(w *JSONWriter) { w.Int(1).Int(2) }},
		{"", func(w *JSONWriter) { w.End() }},
	} {
		var w JSONWriter
		tt.write(&w)
		err := w.check()
		if tt.want == "" {
			if err == nil {
				t.Errorf("%s: misuse was not found", w.buf)
			}
			continue
		}
		if err != nil || string(w.buf) != tt.want || !json.Valid(w.buf) {
			t.Errorf("got %s %v, want %s", w.buf, err, tt.want)
		}
	}
}

// nowhere is a wire that keeps nothing.
type nowhere struct {
	memoryWire
	sent int
}

func (n *nowhere) Respond(x *exchange.Exchange, body []byte) error {
	n.out = n.reply.Head(n.out[:0], x, int64(len(body)), nil)
	n.out = append(n.out, body...)
	n.sent += len(n.out)
	return nil
}

// asked readies an exchange for a request, to be served any number of times.
func asked(tb testing.TB, app *App, request string) (serve func()) {
	tb.Helper()
	w := &nowhere{memoryWire: memoryWire{app: app, ctx: context.Background()}}
	x := app.take(w)
	x.Buf, x.Remote = []byte(request), netip.MustParseAddrPort("192.0.2.1:1")
	if err := w.read1(x); err != nil {
		tb.Fatal(err)
	}
	content := w.content
	return func() {
		w.reply = exchange.Reply{Keep: true}
		x.Body = exchange.Body{Whole: content, Ready: true}
		app.serve(x, app.find(x))
		x.Recycle()
	}
}

const askJSON = "GET /users/17?page=3&q=a%20b HTTP/1.1\r\nHost: a\r\nX-Trace: abc\r\nCookie: theme=dark\r\nAccept: text/html;q=0.5, application/json\r\n\r\n"

type listed struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func smallResponses(tb testing.TB) map[string]func() {
	app := New(Config{})
	app.Get("/users/{id}", func(c Ctx) error {
		id, err := c.Param("id").Int()
		if err != nil {
			return err
		}
		page, _ := c.Query("page").Int()
		w := c.JSONWriter()
		w.Object().Key("id").Int(int64(id)).Key("page").Int(int64(page)).Key("q").View(c.Query("q"))
		w.Key("trace").View(c.Header("X-Trace")).Key("theme").View(c.Cookie("theme")).Key("ok").Bool(true).End()
		c.SetHeader("Cache-Control", "no-store")
		return c.SendJSON(200, w)
	})
	v := &listed{17, "x"}
	app.Get("/encoded/{id}", func(c Ctx) error { return c.JSON(200, v) })
	app.Get("/accepts", func(c Ctx) error { return c.Text(200, c.Accepts("text/html", "application/json")) })
	app.Get("/bound/{id}", func(c Ctx) error {
		v, err := Bind[struct {
			ID   int  `path:"id"`
			Page int  `query:"page" default:"1"`
			Deep bool `query:"deep"`
		}](c)
		if err != nil {
			return err
		}
		w := c.JSONWriter()
		w.Array().Int(int64(v.ID)).Int(int64(v.Page)).Bool(v.Deep).End()
		return c.SendJSON(200, w)
	})
	return map[string]func(){
		"bound":   asked(tb, app, "GET /bound/7?page=3 HTTP/1.1\r\nHost: a\r\n\r\n"),
		"writer":  asked(tb, app, askJSON),
		"encoder": asked(tb, app, "GET /encoded/1 HTTP/1.1\r\nHost: a\r\n\r\n"),
		"accepts": asked(tb, app, "GET /accepts HTTP/1.1\r\nHost: a\r\nAccept: text/html;q=0.5, application/json\r\n\r\n"),
	}
}

func TestSmallResponsesDontAllocate(t *testing.T) {
	for name, serve := range smallResponses(t) {
		most := 0.0
		if name == "bound" {
			most = 1 // the value, which reflection makes escape
		}
		if n := testing.AllocsPerRun(200, serve); n > most {
			t.Errorf("%s: %v allocations per request, want %v", name, n, most)
		}
	}
}

func BenchmarkSmallResponses(b *testing.B) {
	for name, serve := range smallResponses(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				serve()
			}
		})
	}
}
