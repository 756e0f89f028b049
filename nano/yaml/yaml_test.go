package yaml

import (
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

type parcel struct {
	Weight int    `yaml:"weight" json:"weight"`
	To     string `yaml:"to" json:"to"`
}

func TestYAML(t *testing.T) {
	app := nano.New(nano.Config{Decoders: map[string]nano.Decoder{MediaType: Decode}})
	app.Post("/", func(c nano.Ctx) error {
		p, err := nano.Bind[parcel](c)
		if err != nil {
			return err
		}
		return Response(c, 201, p)
	})
	bomb := "a: &a [x, x, x, x, x, x, x, x]\n" + strings.Repeat("b: [*a, *a, *a, *a, *a, *a, *a]\n", 1)
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{"weight: 3\nto: Ada\n", 201, "weight: 3\nto: Ada\n"},
		{"weight: 3\nwieght: 4\n", 400, "wieght"},
		{"weight: many\n", 400, "can't be read"},
		{"weight: 3\n---\nweight: 4\n", 400, "more than one"},
		{"weight: [", 400, "can't be read"},
		{bomb, 400, "can't be read"},
	} {
		got := nanotest.New(app).Post("/").Body(MediaType, []byte(c.body)).Do()
		if got.Status != c.status || !strings.Contains(got.Text(), c.want) {
			t.Errorf("%q: %d %q", c.body, got.Status, got.Text())
		}
	}
}
