package cache

import (
	"strings"
	"testing"
	"time"
)

// What is said of how long it is fresh, and whether it may be stored, by fields that are
// targeted at this cache (RFC 9213; the cases are those of cache-tests, and of precedence).
func TestTargeted(t *testing.T) {
	const forbidden, long = "Cache-Control: no-store", "Cache-Control: max-age=3600"
	cdn := []string{"cdn-cache-control"}
	both := []string{"own-cache-control", "cdn-cache-control"}
	for _, c := range []struct {
		name     string
		targets  []string
		response string
		fresh    time.Duration // 0: not at all, or it isn't stored
	}{
		{"it counts more", cdn, forbidden + "\nCDN-Cache-Control: max-age=60", time.Minute},
		{"it counts more when it is shorter", cdn, long + "\nCDN-Cache-Control: max-age=1", time.Second},
		{"and than Expires", cdn, "Expires: Thu, 18 Aug 2050 02:01:18 GMT\nCDN-Cache-Control: max-age=60", time.Minute},
		{"it says nothing of time", cdn, long + "\nExpires: Thu, 18 Aug 2050 02:01:18 GMT\nCDN-Cache-Control: none", 0},
		{"no-store", cdn, long + "\nCDN-Cache-Control: no-store", 0},
		{"private", cdn, long + "\nCDN-Cache-Control: private", 0},
		{"private fields", cdn, long + "\nCDN-Cache-Control: private=\"x-a\", max-age=60", 0},
		{"no-cache", cdn, long + "\nCDN-Cache-Control: no-cache, max-age=60", 0},
		{"what is unknown", cdn, forbidden + "\nCDN-Cache-Control: foobar, max-age=60;a=b, b=(1 2)", time.Minute},
		{"not set", cdn, forbidden + "\nCDN-Cache-Control: no-store=?0, max-age=60", time.Minute},
		{"s-maxage", cdn, forbidden + "\nCDN-Cache-Control: max-age=1, s-maxage=60", time.Minute},
		{"very long", cdn, forbidden + "\nCDN-Cache-Control: max-age=99999999999", longest * time.Second},
		{"the last of two counts", cdn, forbidden + "\nCDN-Cache-Control: max-age=1\nCDN-Cache-Control: max-age=60", time.Minute},
		{"in two lines", cdn, forbidden + "\nCDN-Cache-Control: max-age=60\nCDN-Cache-Control: public", time.Minute},
		{"a text is no time", cdn, long + "\nCDN-Cache-Control: max-age=\"60\"", 0},
		{"a fraction is no time", cdn, long + "\nCDN-Cache-Control: max-age=60.5", 0},
		{"it is below zero", cdn, long + "\nCDN-Cache-Control: max-age=-60", 0},
		{"it isn't given", cdn, long + "\nCDN-Cache-Control: max-age", 0},
		{"empty: it isn't there", cdn, "Cache-Control: max-age=60\nCDN-Cache-Control: ", time.Minute},
		{"no dictionary: it isn't there", cdn, "Cache-Control: max-age=60\nCDN-Cache-Control: max-age=10000, &&&&&", time.Minute},
		{"capitals", cdn, "Cache-Control: max-age=60\nCDN-Cache-Control: Max-Age=10000", time.Minute},
		{"a space", cdn, "Cache-Control: max-age=60\nCDN-Cache-Control: max-age =10000", time.Minute},
		{"a comma at the end", cdn, "Cache-Control: max-age=60\nCDN-Cache-Control: max-age=10000,", time.Minute},
		{"one that is for others", cdn, "Cache-Control: max-age=60\nOwn-Cache-Control: max-age=1", time.Minute},
		{"none counts", nil, "Cache-Control: max-age=60\nCDN-Cache-Control: max-age=1", time.Minute},
		{"the first of the list", both, forbidden + "\nCDN-Cache-Control: max-age=1\nOwn-Cache-Control: max-age=60", time.Minute},
		{"the second, as the first isn't there", both, forbidden + "\nCDN-Cache-Control: max-age=60", time.Minute},
		{"the second, as the first is empty", both, forbidden + "\nCDN-Cache-Control: max-age=60\nOwn-Cache-Control: ", time.Minute},
		{"the second, as the first is no dictionary", both, forbidden + "\nOwn-Cache-Control: =\nCDN-Cache-Control: max-age=60", time.Minute},
	} {
		p := &Policy{Obey: true, Targets: c.targets}
		v := stored(t, New(1<<20, 1<<16), p, get, "HTTP/1.1 200 OK\n"+c.response, "body")
		var a RequestFields
		a.Read(requested(t, get), true)
		fresh := func(after time.Duration) bool { return v != nil && p.Judge(v, &a, began+int64(after)) == Give }
		if c.fresh == 0 {
			if fresh(0) {
				t.Errorf("%s: it is given", c.name)
			}
			continue
		}
		if !fresh(0) || !fresh(c.fresh-1) || fresh(c.fresh) {
			t.Errorf("%s: it isn't given for %v", c.name, c.fresh)
		}
	}
}

// A 304 has it, and one that comes may change it.
func TestTargetedNotModified(t *testing.T) {
	s := New(1<<20, 1<<16)
	p := &Policy{Targets: []string{"cdn-cache-control"}}
	old := stored(t, s, p, get, "HTTP/1.1 200 OK\nCache-Control: no-store\nCDN-Cache-Control: max-age=1\nETag: \"a\"", "body")
	m, url, key := notModified(t, s, "ETag: \"a\"\r\nCDN-Cache-Control: max-age=60\r\n")
	v := s.Freshen(p, key, url, s.Epoch(), old, m)
	if v == nil || v.Left(began) != 60 {
		t.Fatalf("%+v", v)
	}
	if text, want := string(v.NotModified), "CDN-Cache-Control: max-age=60\r\n"; !strings.Contains(text, want) || strings.Contains(text, "max-age=1\r") {
		t.Errorf("a 304 has %q", text)
	}
}

// Whatever a field holds, the times that are read are within bounds.
func FuzzTargeted(f *testing.F) {
	for _, seed := range []string{"max-age=60", "private, no-cache=\"a\"", "a=(1 2);b, max-age=-1", "max-age=:YQ==:", "=", "max-age=@1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		d, ok := readTargeted([]string{value})
		if !ok {
			if d != (Directives{}) {
				t.Fatalf("%q: %+v", value, d)
			}
			return
		}
		for _, n := range [...]int64{d.MaxAge, d.SharedMaxAge, d.WhileRevalidate, d.IfError} {
			if n < absent || n > longest {
				t.Fatalf("%q: %d", value, n)
			}
		}
	})
}
