package nano_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

type paging struct {
	Page int `query:"page" default:"1" json:"-"`
}

type everything struct {
	paging2
	Shop   string        `path:"shop" json:"shop"`
	Words  []string      `query:"q"`
	Max    *float64      `query:"max"`
	Since  time.Duration `query:"since" default:"90s"`
	Small  int8          `query:"small"`
	Big    uint64        `query:"big"`
	On     bool          `query:"on"`
	Addr   netip.Addr    `query:"addr"`
	Trace  string        `header:"X-Trace"`
	Langs  []string      `header:"Accept-Language"`
	Theme  string        `cookie:"theme"`
	Admin  bool          `header:"X-Admin"` // not to be set from JSON
	Title  string        `json:"title" form:"title"`
	Labels []string      `json:"labels" form:"label"`
	Nested struct {
		N int `json:"n"`
	} `json:"nested"`
}

type paging2 = paging

func bound(t *testing.T, config nano.Config, ask func(*nanotest.Client) *nanotest.Request) (*everything, *nanotest.Response) {
	t.Helper()
	app := nano.New(config)
	var got *everything
	app.Any("/{shop}", func(c nano.Ctx) error {
		v, err := nano.Bind[everything](c)
		if err != nil {
			return err
		}
		got = &v
		return nil
	})
	return got, ask(nanotest.New(app)).Do()
}

func TestBind(t *testing.T) {
	max := 2.5
	base := everything{Shop: "s", Since: 90 * time.Second, paging2: paging{1}}
	with := func(change func(*everything)) everything { v := base; change(&v); return v }
	for _, tt := range []struct {
		name string
		ask  func(*nanotest.Client) *nanotest.Request
		want everything
	}{
		{"defaults", func(c *nanotest.Client) *nanotest.Request { return c.Get("/s") }, base},
		{"query", func(c *nanotest.Client) *nanotest.Request {
			return c.Get("/s?page=7&q=a&q=b%20c&max=2.5&since=1m&small=-128&big=18446744073709551615&on=true&addr=::1")
		}, with(func(v *everything) {
			v.Page, v.Words, v.Max, v.Since, v.Small, v.Big, v.On = 7, []string{"a", "b c"}, &max, time.Minute, -128, 1<<64-1, true
			v.Addr = netip.MustParseAddr("::1")
		})},
		{"header and cookie", func(c *nanotest.Client) *nanotest.Request {
			return c.Get("/s").Header("X-Trace", "t").Header("Accept-Language", "de, en").Header("accept-language", "fr").Header("Cookie", "a=b; theme=dark")
		}, with(func(v *everything) { v.Trace, v.Langs, v.Theme = "t", []string{"de", "en", "fr"}, "dark" })},
		{"json", func(c *nanotest.Client) *nanotest.Request {
			return c.Post("/s").Body("application/json; charset=utf-8", []byte(`{"title":"x","labels":["a"],"nested":{"n":3},"Admin":true,"Page":9,"shop":"other","Trace":"forged"}`))
		}, with(func(v *everything) { v.Title, v.Labels, v.Nested.N = "x", []string{"a"}, 3 })},
		{"form", func(c *nanotest.Client) *nanotest.Request {
			return c.Post("/s").Form(url.Values{"title": {"x y"}, "label": {"a", "b"}})
		}, with(func(v *everything) { v.Title, v.Labels = "x y", []string{"a", "b"} })},
		{"suffix", func(c *nanotest.Client) *nanotest.Request {
			return c.Post("/s").Body("application/merge-patch+json", []byte(`{"title":"x"}`)).Chunked()
		}, with(func(v *everything) { v.Title = "x" })},
	} {
		got, resp := bound(t, nano.Config{}, tt.ask)
		if got == nil || !reflect.DeepEqual(*got, tt.want) {
			t.Errorf("%s: %d %s\n got %+v\nwant %+v", tt.name, resp.Status, resp.Body, got, tt.want)
		}
	}
}

func TestBindRefuses(t *testing.T) {
	post := func(kind, body string) func(*nanotest.Client) *nanotest.Request {
		return func(c *nanotest.Client) *nanotest.Request { return c.Post("/s").Body(kind, []byte(body)) }
	}
	asked := func(target string) func(*nanotest.Client) *nanotest.Request {
		return func(c *nanotest.Client) *nanotest.Request { return c.Get(target) }
	}
	const kind = "application/json"
	for _, tt := range []struct {
		name     string
		ask      func(*nanotest.Client) *nanotest.Request
		status   int
		in, what string // of the first error
	}{
		{"not a number", asked("/s?page=x"), 400, "query", "page"},
		{"out of range", asked("/s?small=128"), 400, "query", "small"},
		{"NaN", asked("/s?max=NaN"), 400, "query", "max"},
		{"twice", asked("/s?page=1&page=2"), 400, "query", "page"},
		{"wrong escape", asked("/s?page=%zz"), 400, "query", "page"},
		{"wrong address", asked("/s?addr=1.2.3"), 400, "query", "addr"},
		{"syntax", post(kind, `{"title":`), 400, "body", ""},
		{"empty", post(kind+";a=b", ` `), 400, "body", ""},
		{"trailing", post(kind, `{} {}`), 400, "body", ""},
		{"doubled", post(kind, `{"title":"a","title":"b"}`), 400, "body", "title"},
		{"doubled, escaped", post(kind, `{"title":"a","\u0074itle":"b"}`), 400, "body", "title"},
		{"doubled inside", post(kind, `{"labels":[],"nested":{"n":1,"n":2}}`), 400, "body", "n"},
		{"wrong kind", post(kind, `{"nested":{"n":"x"}}`), 400, "body", "nested.n"},
		{"unknown", post(kind, `{"nothing":1}`), 400, "body", "nothing"},
		{"other type", post("text/plain", `hello`), 415, "", ""},
		{"wrong form", post("application/x-www-form-urlencoded", `title=%zz`), 400, "", ""},
	} {
		got, resp := bound(t, nano.Config{StrictJSON: true}, tt.ask)
		var p struct {
			Errors []nano.FieldError `json:"errors"`
		}
		if err := resp.JSON(&p); got != nil || resp.Status != tt.status || err != nil || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: bound %v, got %d %s (%v)", tt.name, got, resp.Status, resp.Body, err)
			continue
		}
		if tt.in != "" && (len(p.Errors) != 1 || p.Errors[0].In != tt.in || p.Errors[0].Name != tt.what || p.Errors[0].Detail == "") {
			t.Errorf("%s: got %s", tt.name, resp.Body)
		}
	}
	_, resp := bound(t, nano.Config{}, asked("/s?page=x&small=y&max=z"))
	if n := strings.Count(resp.Text(), `"in":"query"`); n != 3 {
		t.Errorf("%d of 3 errors are listed: %s", n, resp.Body)
	}
}

func TestBindValidates(t *testing.T) {
	invalid := func(v any) error {
		if e := v.(*everything); e.Page == 13 {
			return fmt.Errorf("wrapped: %w", nano.FieldErrors{{In: "query", Name: "page", Detail: "is unlucky"}})
		}
		return nil
	}
	if got, resp := bound(t, nano.Config{Validator: invalid}, func(c *nanotest.Client) *nanotest.Request { return c.Get("/s?page=13") }); got != nil || resp.Status != 422 || !strings.Contains(resp.Text(), "is unlucky") {
		t.Errorf("got %v, %d %s", got, resp.Status, resp.Body)
	}
}

func TestBindWrongTypes(t *testing.T) {
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Get("/default", func(c nano.Ctx) error {
		_, err := nano.Bind[struct {
			N int `query:"n" default:"x"`
		}](c)
		return err
	})
	app.Get("/two", func(c nano.Ctx) error {
		_, err := nano.Bind[struct {
			N int `query:"n" path:"n"`
		}](c)
		return err
	})
	app.Get("/kind", func(c nano.Ctx) error {
		_, err := nano.Bind[struct {
			N map[string]int `query:"n"`
		}](c)
		var p *nano.Problem
		if err == nil || errors.As(err, &p) {
			t.Errorf("got %v, want an error that is no Problem", err)
		}
		return err
	})
	for _, path := range []string{"/default", "/two", "/kind"} {
		if got := nanotest.New(app).Get(path).Do(); got.Status != 500 {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
}

func TestBindWhole(t *testing.T) {
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Post("/", func(c nano.Ctx) error {
		v, err := nano.Bind[map[string]int](c)
		if err != nil {
			return err
		}
		return c.JSON(200, v)
	})
	if got := nanotest.New(app).Post("/").JSON(map[string]int{"a": 1}).Do(); got.Text() != `{"a":1}` {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	large := bytes.Repeat([]byte(" "), 5<<20)
	if got := nanotest.New(app).Post("/").Body("application/json", large).Do(); got.Status != 413 {
		t.Errorf("a body over the limit: %d", got.Status)
	}
}

// FuzzBindJSON: nothing that encoding/json refuses is taken, and what is taken
// is taken as encoding/json does.
func FuzzBindJSON(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"a":2}`, `{"a":{"b":[1,"x",null,{"c":1.5e3}]}}`, `[]`, `{"":1,"":2}`, `{"a\"":1}`, `{"a":1}x`, `"`, `{"a":"\ud800"}`, "{\"\xff\":1}"} {
		f.Add(s)
	}
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	var got map[string]any
	app.Post("/", func(c nano.Ctx) (err error) { got, err = nano.Bind[map[string]any](c); return err })
	f.Fuzz(func(t *testing.T, s string) {
		var want map[string]any
		err := json.Unmarshal([]byte(s), &want)
		resp := nanotest.New(app).Post("/").Body("application/json", []byte(s)).Do()
		switch {
		case s == "":
		case err != nil && resp.Status != 400:
			t.Errorf("taken: %q: %d", s, resp.Status)
		case err == nil && resp.Status == 200 && !reflect.DeepEqual(got, want):
			t.Errorf("%q: got %v, want %v", s, got, want)
		case err == nil && resp.Status != 200 && !strings.Contains(resp.Text(), "is there twice"):
			t.Errorf("refused: %q: %s", s, resp.Body)
		}
	})
}

// TestBindNothing: a request without what the type wants is refused, unless it was
// asked for.
func TestBindNothing(t *testing.T) {
	type wants struct {
		ID   int    `path:"id"`
		Name string `json:"name"`
	}
	type form struct {
		Name string `form:"name"`
	}
	type noBody struct {
		ID int `path:"id"`
	}
	respond := func(v any, err error) func(c nano.Ctx) error {
		return func(c nano.Ctx) error {
			if err != nil {
				return err
			}
			return c.Text(200, fmt.Sprintf("%+v", v))
		}
	}
	app := nano.New(nano.Config{})
	app.Any("/wants/{id}", func(c nano.Ctx) error { v, err := nano.Bind[wants](c); return respond(v, err)(c) })
	app.Any("/optional/{id}", func(c nano.Ctx) error { v, err := nano.BindOptional[wants](c); return respond(v, err)(c) })
	app.Any("/form/{id}", func(c nano.Ctx) error { v, err := nano.Bind[form](c); return respond(v, err)(c) })
	app.Any("/none/{id}", func(c nano.Ctx) error { v, err := nano.Bind[noBody](c); return respond(v, err)(c) })
	app.Any("/map/{id}", func(c nano.Ctx) error { v, err := nano.Bind[map[string]int](c); return respond(v, err)(c) })
	app.Any("/pointer/{id}", func(c nano.Ctx) error { v, err := nano.Bind[*wants](c); return respond(v == nil, err)(c) })
	app.Any("/raw/{id}", func(c nano.Ctx) error { v, err := nano.Bind[json.RawMessage](c); return respond(string(v), err)(c) })
	const jsonType, urlencoded = "application/json", "application/x-www-form-urlencoded"
	client := nanotest.New(app)
	for _, c := range []struct {
		path, kind, body string
		status           int
		says             string
	}{
		{"/wants/7", "", "", 400, "no body"},
		{"/wants/7", jsonType, "", 400, "no body"},
		{"/wants/7", jsonType, "null", 400, "is null"},
		{"/wants/7", jsonType, " null\n", 400, "is null"},
		{"/wants/7", jsonType, " ", 400, "is empty"},
		{"/wants/7", jsonType, "{}", 200, "{ID:7 Name:}"},
		{"/optional/7", "", "", 200, "{ID:7 Name:}"},
		{"/optional/7", jsonType, "null", 200, "{ID:7 Name:}"},
		{"/optional/7", jsonType, " ", 200, "{ID:7 Name:}"},
		{"/optional/7", jsonType, `{"name":"x"}`, 200, "{ID:7 Name:x}"},
		{"/optional/7", jsonType, `{"name":7}`, 400, "must be a string"},
		{"/form/7", urlencoded, "", 200, "{Name:}"},
		{"/form/7", "", "", 400, "no body"},
		{"/none/7", "", "", 200, "{ID:7}"},
		{"/map/7", jsonType, "null", 400, "is null"},
		{"/map/7", jsonType, "{}", 200, "map[]"},
		{"/pointer/7", jsonType, "null", 200, "true"},
		{"/pointer/7", jsonType, "", 400, "no body"},
		{"/raw/7", jsonType, "null", 200, "null"},
	} {
		for _, chunked := range []bool{false, true} {
			r := client.Post(c.path).Body(c.kind, []byte(c.body))
			if chunked {
				r.Chunked()
			}
			resp := r.Do()
			if chunked && c.body == "" {
				if (resp.Status == 200) != (c.status == 200) {
					t.Errorf("%s %q chunked: %d %s, want %d", c.path, c.body, resp.Status, resp.Body, c.status)
				}
				continue
			}
			if resp.Status != c.status || !strings.Contains(string(resp.Body), c.says) {
				t.Errorf("%s %q: %d %s, want %d %s", c.path, c.body, resp.Status, resp.Body, c.status, c.says)
			}
		}
	}
	if resp := client.Get("/wants/7").Do(); resp.Status != 200 {
		t.Errorf("a GET without a body: %d %s", resp.Status, resp.Body)
	}
}
