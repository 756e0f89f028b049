package nano_test

import (
	"errors"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// bindError returns what Bind says to a request without a body.
func bindError[T any](t *testing.T, config nano.Config) error {
	t.Helper()
	app := nano.New(config)
	var failed error
	app.Get("/{id}", func(c nano.Ctx) error {
		_, failed = nano.Bind[T](c)
		return c.NoContent(204)
	})
	if got := nanotest.New(app).Get("/7").Do(); got.Status != 204 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	return failed
}

// TestBindForeignTags: tags that would be ignored, and with them a field or its rules,
// are told of.
func TestBindForeignTags(t *testing.T) {
	type embedded struct {
		Page int `query:"page" validate:"min=1"`
	}
	checked := nano.Config{Validator: func(any) error { return nil }}
	for _, tt := range []struct {
		name string
		err  error
		want string // "": none
	}{
		{"uri", bindError[struct {
			ID int `uri:"id"`
		}](t, checked), "ID: the tag uri is not read here: write path"},
		{"param", bindError[struct {
			ID int `param:"id" json:"id"`
		}](t, checked), "ID: the tag param is not read here: write path"},
		{"binding", bindError[struct {
			Name string `json:"name" binding:"required"`
		}](t, checked), "Name: the tag binding is not read here: write validate"},
		{"both", bindError[struct {
			ID   int    `uri:"id" path:"id"`
			Name string `query:"name" binding:"required" validate:"required"`
		}](t, checked), ""},
		{"validate without a validator", bindError[struct {
			Page int `query:"page" validate:"min=1"`
		}](t, nano.Config{}), "need Config.Validator"},
		{"in an embedded struct", bindError[struct{ embedded }](t, nano.Config{}), "need Config.Validator"},
		{"switched off", bindError[struct {
			Page int `query:"page" validate:"-"`
		}](t, nano.Config{}), ""},
	} {
		var p *nano.Problem
		switch {
		case tt.want == "" && tt.err != nil:
			t.Errorf("%s: %v", tt.name, tt.err)
		case tt.want != "" && (tt.err == nil || errors.As(tt.err, &p) || !strings.Contains(tt.err.Error(), tt.want)):
			t.Errorf("%s: got %v, want one that is no Problem, with %q", tt.name, tt.err, tt.want)
		}
	}
}

// TestBindSaysWhatItReads: a body of another type is told what would be taken.
func TestBindSaysWhatItReads(t *testing.T) {
	app := nano.New(nano.Config{Decoders: map[string]nano.Decoder{"application/xml": nano.DecodeXML}})
	app.Post("/both", func(c nano.Ctx) error {
		_, err := nano.Bind[struct {
			Name string `json:"name" form:"name"`
		}](c)
		return err
	})
	app.Post("/form", func(c nano.Ctx) error {
		_, err := nano.Bind[struct {
			Name string `form:"name"`
		}](c)
		return err
	})
	const forms = "application/x-www-form-urlencoded, multipart/form-data"
	for path, want := range map[string]string{"/both": "application/json, application/xml, " + forms, "/form": "here, but " + forms} {
		got := nanotest.New(app).Post(path).Text("x").Do()
		if got.Status != 415 || !strings.Contains(got.Text(), want) {
			t.Errorf("%s: %d %s, want %s", path, got.Status, got.Body, want)
		}
	}
}

func TestFieldErrorsText(t *testing.T) {
	all := nano.FieldErrors{{In: "query", Name: "page", Detail: "must be 1 or more"}, {In: "body", Detail: "is missing"}}
	if got, want := all.Error(), "query page: must be 1 or more; body: is missing"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestBindsChecksAtRegistration: what a type's tags say is looked at when its route is
// registered, if that is told of; a value that isn't valid is no mistake in a type.
func TestBindsChecksAtRegistration(t *testing.T) {
	type body struct {
		Name string `json:"name" validate:"required"`
	}
	handler := func(nano.Ctx) error { return nil }
	var checked []any
	check := func(result error) nano.Config {
		return nano.Config{Validator: func(v any) error { checked = append(checked, v); return result }}
	}
	for _, tt := range []struct {
		name   string
		config nano.Config
		option nano.Option
		want   string // of the panic; "": none
	}{
		{"fine", check(nil), nano.Binds[body](), ""},
		{"a zero value that isn't valid", check(nano.FieldErrors{{In: "body", Name: "name", Detail: "is missing"}}), nano.Binds[body](), ""},
		{"an unknown rule", check(errors.New("there is no rule requird")), nano.Binds[body](), "there is no rule requird"},
		{"no validator", nano.Config{}, nano.Binds[body](), "need Config.Validator"},
		{"a pointer", check(nil), nano.Binds[**body](), ""},
		{"a tag that makes no sense", nano.Config{}, nano.Binds[struct {
			F func() `query:"f"`
		}](), "can't be read from text"},
	} {
		app := nano.New(tt.config)
		message := panicOf(func() { app.Post("/things", handler, tt.option) })
		if (message == "") != (tt.want == "") || !strings.Contains(message, tt.want) ||
			message != "" && (!strings.Contains(message, "POST /things") || !strings.Contains(message, "bind_tags_test.go:")) {
			t.Errorf("%s: %q, want %q", tt.name, message, tt.want)
		}
		for _, r := range app.Routes() {
			if len(r.Binds()) != 1 {
				t.Errorf("%s: %v are bound", tt.name, r.Binds())
			}
		}
	}
	if _, ok := checked[len(checked)-1].(***body); !ok || len(checked) != 4 {
		t.Errorf("checked: %T", checked)
	}
	sub, app := nano.New(check(nil)), nano.New(nano.Config{})
	sub.Post("/things", handler, nano.Binds[body]())
	if message := panicOf(func() { app.MountApp("/sub", sub) }); !strings.Contains(message, "need Config.Validator") {
		t.Errorf("mounted on an app that has no validator: %q", message)
	}
}

// TestBindsNamesParameters: a path tag that no parameter of the pattern has would leave its
// field zero at every request. All of a pattern is known when the app serves: until then
// it may be mounted below one that has the parameter.
func TestBindsNamesParameters(t *testing.T) {
	type one struct {
		ID int `path:"id"`
	}
	type tenant struct {
		one
		Tenant string `path:"tenant"`
	}
	type shared struct {
		ID   int `path:"id" json:"id"`
		Page int `path:"page" default:"1"`
	}
	handler := func(c nano.Ctx) error { return c.NoContent(204) }
	for _, tt := range []struct {
		pattern string
		option  nano.Option
		want    string // of the panic; "": none
	}{
		{"/a/{id}", nano.Binds[one](), ""},
		{"/a/{ident}", nano.Binds[one](), `the tag path:"id" names no parameter of the pattern, which has ident`},
		{"/a", nano.Binds[one](), "which has none"},
		{"/a/{id:int}", nano.Binds[tenant](), `path:"tenant"`},
		{"/a/{tenant}/{id}", nano.Binds[tenant](), ""},
		{"/a", nano.Binds[shared](), ""},
		{"/a/{ident}", nano.Binds[struct {
			Q string `query:"q"`
		}](), ""},
	} {
		app := nano.New(nano.Config{})
		app.Get(tt.pattern, handler, tt.option)
		for range 2 { // no request is served by a route that can't do what it says
			message := panicOf(func() { nanotest.New(app).Get("/a/1").Do() })
			if (message == "") != (tt.want == "") || !strings.Contains(message, tt.want) || message != "" && !strings.Contains(message, "bind_tags_test.go:") {
				t.Errorf("%s: %q, want %q", tt.pattern, message, tt.want)
			}
			if message = panicOf(func() { _ = app.Listen("unix:") }); (message == "") != (tt.want == "") {
				t.Errorf("%s: Listen: %q", tt.pattern, message)
			}
		}
	}
	sub, app := nano.New(nano.Config{}), nano.New(nano.Config{})
	sub.Get("/{id}", handler, nano.Binds[tenant]())
	app.MountApp("/t/{tenant}", sub)
	if message := panicOf(func() { nanotest.New(app).Get("/t/x/1").Do() }); message != "" {
		t.Errorf("mounted below its parameter: %q", message)
	}
}
