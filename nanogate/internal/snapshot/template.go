package snapshot

import (
	"strings"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/route"
)

// Template makes a path or URL of a request.
type Template struct {
	parts  []part
	params int // of the pattern, "rest" included
}

type part struct {
	text  string
	index int // of a parameter; or one of those below
}

const (
	partText  = -1
	partHost  = -2
	partPath  = -3
	partQuery = -4
	partName  = -5 // of the host, without its port
	partBelow = -6 // what follows the pattern's prefix, from its slash on
)

func templateOf(c *config.Template, params []string) *Template {
	if c == nil {
		return nil
	}
	t := &Template{params: len(params)}
	for _, p := range c.Parts {
		one := part{p.Text, partText}
		switch p.Name {
		case "":
		case "host":
			one.index = partHost
		case "path":
			one.index = partPath
		case "query":
			one.index = partQuery
		case "hostname":
			one.index = partName
		case "/rest":
			one.index = partBelow
		}
		for i, name := range params {
			if p.Name == name {
				one.index = i
			}
		}
		t.parts = append(t.parts, one)
	}
	return t
}

// Append appends what the template makes of a request that was found as f says. What
// the path gives is in canonical form, with its escapes. In a query of the template's own it
// stays within the value that it was put into, as "&", "=", ";" and "+" mean nothing in a path.
func (t *Template) Append(dst []byte, r *request.Request, f *route.Found) []byte {
	query := false
	for i := range t.parts {
		p := &t.parts[i]
		if p.index == partText {
			dst = append(dst, p.text...)
			query = query || strings.Contains(p.text, "?")
			continue
		}
		from := len(dst)
		if dst = t.appendPart(dst, p.index, r, f); query && p.index != partQuery {
			dst = escapeQuery(dst, from)
		}
	}
	return dst
}

func (t *Template) appendPart(dst []byte, index int, r *request.Request, f *route.Found) []byte {
	switch index {
	case partHost:
		return append(dst, r.Authority()...)
	case partName:
		return append(dst, r.Host()...)
	case partBelow:
		// "/api/*" is "/api" too, and then there is neither a slash nor a rest.
		if n := len(f.Params[:f.N]); n > 0 && n == t.params {
			dst = append(dst, r.Path[f.Params[n-1].Start-1:]...)
		}
	case partPath:
		return append(dst, r.Path...)
	case partQuery:
		if query := r.Query(); len(query) > 0 {
			dst = append(append(dst, '?'), query...)
		}
	default:
		if index < f.N {
			dst = append(dst, r.Path[f.Params[index].Start:f.Params[index].End]...)
		}
	}
	return dst
}

// escapeQuery escapes what of dst, from there on, takes a query apart.
func escapeQuery(dst []byte, from int) []byte {
	more := 0
	for _, c := range dst[from:] {
		if divides(c) {
			more += len("%26") - 1
		}
	}
	if more == 0 {
		return dst
	}
	end := len(dst)
	dst = append(dst, make([]byte, more)...)
	to := len(dst)
	for i := end - 1; i >= from; i-- { // from the end on, in place
		c := dst[i]
		if !divides(c) {
			to--
			dst[to] = c
			continue
		}
		to -= len("%26")
		dst[to], dst[to+1], dst[to+2] = '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15]
	}
	return dst
}

func divides(c byte) bool {
	return c == '&' || c == '=' || c == ';' || c == '+' || c == '#' || c == '?'
}
