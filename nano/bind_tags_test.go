package nano_test

import (
	"errors"
	"strings"
	"testing"

	"dyno/nano"
	"dyno/nano/nanotest"
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
