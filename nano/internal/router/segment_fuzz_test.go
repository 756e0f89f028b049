package router

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"dyno.example/nano/wire/http1"
)

// reference is a pattern as the simplest matcher has it: one regular expression
// for each segment, tried on every path.
type reference struct {
	text     string
	segments []refSegment
	tail     bool
}

type refSegment struct {
	split *regexp.Regexp // nil: static
	text  string
	s     *segment
}

// referencesOf expands optional parameters.
func referencesOf(text string) []reference {
	var found []reference
	r := reference{text: text}
	path := text
	for more := true; more; {
		var one string
		one, path, more = cutSegment(path[1:])
		if one == "" && !more {
			r.tail = true
			break
		}
		var p Pattern
		s, err := p.parseSegment(one)
		switch {
		case one == "{$}":
			r.segments = append(r.segments, refSegment{})
			continue
		case err != nil:
			panic(err)
		case s.rest:
			r.tail = true
			continue
		case len(p.Params) == 0:
			r.segments = append(r.segments, refSegment{text: s.texts[0]})
			continue
		case s.optional:
			shorter := r
			if shorter.segments = slices.Clone(r.segments); len(r.segments) == 0 {
				shorter.segments = []refSegment{{}}
			}
			found = append(found, shorter)
		}
		var b strings.Builder
		for i, t := range s.texts {
			b.WriteString(regexp.QuoteMeta(string(appendDecoded(nil, []byte(t)))))
			if i < len(s.checks) {
				b.WriteString("((?s:.+?))")
			}
		}
		r.segments = append(r.segments, refSegment{split: regexp.MustCompile(`\A` + b.String() + `\z`), s: s})
	}
	return append(found, r)
}

// match returns the values, nil if the path doesn't match.
func (r *reference) match(path []string) []string {
	if len(path) < len(r.segments) || !r.tail && len(path) != len(r.segments) || r.tail && len(path) == len(r.segments) {
		return nil
	}
	values := []string{}
	for i, s := range r.segments {
		if s.split == nil {
			if path[i] != s.text {
				return nil
			}
			continue
		}
		found := s.split.FindStringSubmatch(path[i])
		if found == nil {
			return nil
		}
		for k, v := range found[1:] {
			if c := s.s.checks[k]; c != nil && !c.takes([]byte(v)) {
				return nil
			}
		}
		values = append(values, found[1:]...)
	}
	if r.tail {
		values = append(values, strings.Join(path[len(r.segments):], "/"))
	}
	return values
}

// before reports whether r is tried before o, both of which match.
func (r *reference) before(o *reference) bool {
	for i := range min(len(r.segments), len(o.segments)) {
		a, b := r.segments[i], o.segments[i]
		switch {
		case a.split == nil && b.split == nil:
			continue
		case a.split == nil || b.split == nil:
			return a.split == nil
		case a.s.plain() != b.s.plain():
			return !a.s.plain()
		}
		if order, _ := a.s.compare(b.s); order != 0 {
			return order < 0
		}
	}
	return len(r.segments) > len(o.segments)
}

// FuzzSegments compares the tree with the reference on sets of patterns.
func FuzzSegments(f *testing.F) {
	f.Add("/{a}-{b}\n/{a:int}-{b}\n/x-{b}\n/{c}", "/1-2-3")
	f.Add("/{a:int}/x\n/{a:uint}/y\n/{b:hex}/z\n/{c...}", "/12/z")
	f.Add("/l/{p?:int}\n/l/{q}\n/l/x/{$}\n/", "/l/7")
	f.Add("/v{a}.{b}.{c}\n/v{a}.{b}\n/v{a}", "/v1..2.")
	f.Add("/{a:[ab]+}\n/{b:[cd]+}/e\n/{c:e.}f", "/eaf")
	f.Add("/{y?}/{m?}/{d?}\n/a/{$}", "/a/b")
	f.Add("/aa{b}aa\n/a{b}a{c}a\n/{x}a", "/aaaaaaa")
	f.Fuzz(func(t *testing.T, patterns, target string) {
		if !strings.HasPrefix(target, "/") || strings.ContainsAny(target, "%?#") || len(target) > 200 || !utf8.ValidString(patterns) {
			return // the reference's expressions hold no other bytes
		}
		if unclean([]byte(target[1:])) {
			return // redirected
		}
		u := &url.URL{Path: target}
		if u.EscapedPath() != target {
			return
		}
		var table Router[string]
		table.Slash = Strict
		var all []reference
		for i, text := range strings.SplitN(patterns, "\n", 8) {
			if len(text) > 100 || !strings.HasPrefix(text, "/") || strings.Contains(text, "%") {
				continue
			}
			name := string(rune('0' + i))
			p, err := Parse("GET", "", text)
			if err != nil || table.Add(p, "GET", &name) != nil {
				continue
			}
			for _, r := range referencesOf(text) {
				r.text = name
				all = append(all, r)
			}
		}
		path := strings.Split(target[1:], "/")
		var best *reference
		for i := range all {
			if r := &all[i]; r.match(path) != nil && (best == nil || r.before(best)) {
				best = r
			}
		}
		buf := []byte("GET" + target)
		q := http1.Request{Method: http1.Span{End: 3}, Path: http1.Span{Start: 3, End: uint32(len(buf))}}
		var m Match
		found := table.Find(&q, buf, &m)
		if (found == nil) != (best == nil) {
			t.Fatalf("%q on %q: found %v, the reference %v", patterns, target, found, best)
		}
		if found == nil {
			return
		}
		got := *found
		for k := range m.N {
			value, _ := m.Value(k, buf)
			got += "\x00" + string(value)
		}
		if want := strings.Join(append([]string{best.text}, best.match(path)...), "\x00"); got != want {
			t.Fatalf("%q on %q: %q, the reference %q", patterns, target, got, want)
		}
	})
}

// TestSegmentsCostNoAllocation: constraints of each kind, taken and not.
func TestSegmentsCostNoAllocation(t *testing.T) {
	for text, values := range map[string][]string{
		"{a:int}": {"7", "x", "99999999999999999999"}, "{a:uint}": {"7", "-7"}, "{a:float}": {"1.5", "1."}, "{a:uuid}": {"123e4567-e89b-12d3-a456-426614174000", "1"},
		"{a:date}": {"2026-02-28", "2026-02-30"}, "{a:hex}": {"ff", "xx"}, "{a:alpha}": {"a", "1"}, "{a:bool}": {"true", "x"},
		"{a:[0-9]{4}}": {"2026", "20"}, "{a}-{b}": {"x-y-z", "x"}, "v{a:int}.{b}": {"v1.2", "vx.2"},
	} {
		var p Pattern
		s, err := p.parseSegment(text)
		if err != nil {
			t.Fatal(err)
		}
		var spans = make([]http1.Span, MaxParams)
		for _, v := range values {
			path := []byte(v)
			if n := testing.AllocsPerRun(200, func() { s.match(path, 0, spans) }); n >= 1 {
				t.Errorf("%s on %s: %.1f allocations", text, v, n)
			}
		}
	}
}

// TestSegmentsAreLinear: the work of a lookup that fails grows with the path and
// the patterns, not with the ways to split.
func TestSegmentsAreLinear(t *testing.T) {
	texts := "{a}"
	for i := range MaxParams - 1 {
		texts += "a{b" + string(rune('a'+i)) + "}"
	}
	var p Pattern
	s, err := p.parseSegment(texts + "b")
	if err != nil {
		t.Fatal(err)
	}
	spans := make([]http1.Span, MaxParams)
	if s.match([]byte(strings.Repeat("a", 8<<10)), 0, spans) {
		t.Error("matches without its end")
	}
	if !s.match([]byte(strings.Repeat("a", 8<<10)+"b"), 0, spans) {
		t.Error("doesn't match")
	}
}
