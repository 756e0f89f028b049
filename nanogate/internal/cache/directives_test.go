package cache

import (
	"testing"
)

func TestDirectives(t *testing.T) {
	with := func(change func(d *Directives)) Directives {
		d := NoDirectives
		change(&d)
		return d
	}
	for _, c := range []struct {
		fields []string
		want   Directives
	}{
		{nil, NoDirectives},
		{[]string{""}, NoDirectives},
		{[]string{"max-age=60"}, with(func(d *Directives) { d.MaxAge = 60 })},
		{[]string{" Max-Age = 60 , PUBLIC"}, with(func(d *Directives) { d.MaxAge, d.Public = 60, true })},
		{[]string{"max-age=60, max-age=10"}, with(func(d *Directives) { d.MaxAge = 60 })},
		{[]string{"max-age=60", "s-maxage=5"}, with(func(d *Directives) { d.MaxAge, d.SharedMaxAge = 60, 5 })},
		{[]string{`max-age="60"`}, with(func(d *Directives) { d.MaxAge = 60 })},
		{[]string{"max-age=006"}, with(func(d *Directives) { d.MaxAge = 6 })},
		{[]string{"max-age=99999999999999999999"}, with(func(d *Directives) { d.MaxAge = longest })},
		{[]string{"max-age=-1"}, with(func(d *Directives) { d.MaxAge = 0 })},
		{[]string{"max-age=1.5"}, with(func(d *Directives) { d.MaxAge = 0 })},
		{[]string{"max-age=a, max-age=7"}, with(func(d *Directives) { d.MaxAge = 0 })},
		{[]string{"max-age"}, with(func(d *Directives) { d.MaxAge = 0 })},
		{[]string{"max-age='60'"}, with(func(d *Directives) { d.MaxAge = 0 })},
		{[]string{`extension="max-age=60", no-store`}, with(func(d *Directives) { d.NoStore = true })},
		{[]string{`extension="no-store, \", private", max-age=1`}, with(func(d *Directives) { d.MaxAge = 1 })},
		{[]string{`private="a, b", no-cache=c`}, with(func(d *Directives) { d.Private, d.NoCache = true, true })},
		{[]string{"must-revalidate"}, with(func(d *Directives) { d.MustRevalidate = true })},
		{[]string{"proxy-revalidate, must-understand"}, with(func(d *Directives) { d.MustRevalidate, d.MustUnderstand = true, true })},
		{[]string{"max-stale, min-fresh=5, only-if-cached"}, with(func(d *Directives) { d.MaxStale, d.MinFresh, d.OnlyIfCached = longest, 5, true })},
		{[]string{"min-fresh=x"}, with(func(d *Directives) { d.MinFresh = longest })},
		{[]string{"stale-while-revalidate=3, stale-if-error=4"}, with(func(d *Directives) { d.WhileRevalidate, d.IfError = 3, 4 })},
		{[]string{"no-store-at-all, xmax-age=3"}, NoDirectives},
		{[]string{",,max-age=3,,"}, with(func(d *Directives) { d.MaxAge = 3 })},
	} {
		got := NoDirectives
		for _, f := range c.fields {
			got.read([]byte(f))
		}
		if got != c.want {
			t.Errorf("%q:\n got %+v\nwant %+v", c.fields, got, c.want)
		}
	}
}

// Whatever a field holds, it is read to its end, and times are within bounds.
func FuzzDirectives(f *testing.F) {
	for _, seed := range []string{"max-age=60, private", `a="b,\"c", no-store`, `"`, `=,="`, "max-age=99999999999999999999"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		d := NoDirectives
		d.read(value)
		for _, n := range [...]int64{d.MaxAge, d.SharedMaxAge, d.MaxStale, d.MinFresh, d.WhileRevalidate, d.IfError} {
			if n < absent || n > longest {
				t.Fatalf("%q: %d", value, n)
			}
		}
	})
}
