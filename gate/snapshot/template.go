package snapshot

import (
	"dyno/gate/config"
	"dyno/gate/request"
	"dyno/gate/route"
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
// the path gives is in canonical form, with its escapes.
func (t *Template) Append(dst []byte, r *request.Request, f *route.Found) []byte {
	for i := range t.parts {
		switch p := &t.parts[i]; p.index {
		case partText:
			dst = append(dst, p.text...)
		case partHost:
			dst = append(dst, r.Authority()...)
		case partName:
			dst = append(dst, r.Host()...)
		case partBelow:
			// "/api/*" is "/api" too, and then there is neither a slash nor a rest.
			if n := len(f.Params[:f.N]); n > 0 && n == t.params {
				dst = append(dst, r.Path[f.Params[n-1].Start-1:]...)
			}
		case partPath:
			dst = append(dst, r.Path...)
		case partQuery:
			if query := r.Query(); len(query) > 0 {
				dst = append(append(dst, '?'), query...)
			}
		default:
			if p.index < f.N {
				dst = append(dst, r.Path[f.Params[p.index].Start:f.Params[p.index].End]...)
			}
		}
	}
	return dst
}
