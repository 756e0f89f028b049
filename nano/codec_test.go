package nano_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

type parcel struct {
	ID     int    `path:"id"`
	Weight int    `json:"weight" xml:"weight"`
	To     string `json:"to" xml:"to"`
}

func TestDecoders(t *testing.T) {
	app := nano.New(nano.Config{Decoders: map[string]nano.Decoder{
		"application/xml": nano.DecodeXML,
		"text/csv":        func([]byte, any) error { return errors.New(strings.Repeat("long ", 1000)) },
	}})
	app.Post("/parcels/{id}", func(c nano.Ctx) error {
		p, err := nano.Bind[parcel](c)
		if err != nil {
			return err
		}
		return c.JSON(200, p)
	})
	client := nanotest.New(app)
	for _, c := range []struct {
		kind, body string
		status     int
		want       string
	}{
		{"application/xml", "<parcel><weight>3</weight><to>Ada</to></parcel>", 200, `"weight":3`},
		{"application/xml; charset=utf-8", "<parcel><weight>3</weight></parcel>", 200, `"weight":3`},
		{"application/json", `{"weight":4}`, 200, `"weight":4`},
		{"application/xml", "<parcel><weight>", 400, "can't be read"},
		{"text/csv", "a,b", 400, "long …"},
		{"application/yaml", "weight: 3", 415, "application/yaml"},
	} {
		got := client.Post("/parcels/7").Body(c.kind, []byte(c.body)).Do()
		if got.Status != c.status || !strings.Contains(got.Text(), c.want) || len(got.Text()) > 500 {
			t.Errorf("%s %s: %d %s", c.kind, c.body, got.Status, got.Text())
		}
	}
}

func TestJSONCodec(t *testing.T) {
	app := nano.New(nano.Config{JSON: nano.JSONCodec{
		Marshal: func(v any) ([]byte, error) {
			text, err := json.Marshal(v)
			return append([]byte("  "), text...), err
		},
		Unmarshal: func(text []byte, v any) error {
			return json.Unmarshal(bytes.ReplaceAll(text, []byte("'"), []byte(`"`)), v)
		},
	}})
	app.Post("/parcels/{id}", func(c nano.Ctx) error {
		p, err := nano.Bind[parcel](c)
		if err != nil {
			return err
		}
		return c.JSON(200, p)
	})
	app.Get("/wrong", func(c nano.Ctx) error { return c.JSON(200, func() {}) })
	client := nanotest.New(app)
	got := client.Post("/parcels/7").Body("application/json", []byte(`{'weight':3}`)).Do()
	if want := `  {"ID":7,"weight":3,"to":""}`; got.Text() != want || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %q, want %q", got.Status, got.Text(), want)
	}
	if got := client.Post("/parcels/7").Body("application/json", []byte(`{'weight':`)).Do(); got.Status != 400 {
		t.Errorf("what can't be read gets %d", got.Status)
	}
	if got := client.Get("/wrong").Do(); got.Status != 500 {
		t.Errorf("what can't be encoded gets %d", got.Status)
	}
}
