package nano_test

import (
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

func TestQuery(t *testing.T) {
	app := nano.New(nano.Config{Debug: true})
	app.Get("/{p}", func(c nano.Ctx) error {
		var all []string
		for v := range c.Queries("a") {
			all = append(all, v.String())
		}
		first := "none"
		if v := c.Query("a"); v != nil {
			first = v.String()
		}
		return c.Text(200, c.Param("p").String()+"|"+first+"|"+strings.Join(all, ","))
	})
	for _, tt := range []struct{ target, want string }{
		{"/x", "x|none|"},
		{"/x?a=1", "x|1|1"},
		{"/x?a", "x||"},
		{"/x?b=2&a=1&a=2", "x|1|1,2"},
		{"/x?a=a+b%20c&a=%41", "x|a b c|a b c,A"},
		{"/x?%61=1", "x|1|1"},
		{"/x?a=%zz&a=2", "x|2|2"},
		{"/x?&&a=1&&", "x|1|1"},
		{"/x?aa=1&=a", "x|none|"},
		{"/%7Ex?a=%26", "~x|&|&"},
	} {
		if got := nanotest.New(app).Get(tt.target).Do().Text(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.target, got, tt.want)
		}
	}
}
