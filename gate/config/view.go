package config

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// View is the configuration as it is shown: what was read, not what it was read from,
// and without secrets.
type View struct {
	File      string   `json:"file,omitempty"`
	Listen    []string `json:"listen"`
	Admin     string   `json:"admin,omitempty"`
	Top       []Named  `json:"top,omitempty"` // all that is not routes and upstreams
	Routes    []Named  `json:"routes"`
	Upstreams []Named  `json:"upstreams"`
}

// Named is a part of the file by its name and place.
type Named struct {
	Name string `json:"name"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text,omitempty"` // without places and styles: equal if it says the same
}

// View returns the configuration as it is shown.
func (c *Config) View() View {
	v := View{File: c.Path, Admin: c.Admin.Address, Listen: []string{}, Routes: []Named{}, Upstreams: []Named{}}
	for _, l := range c.Listen {
		v.Listen = append(v.Listen, l.Address)
	}
	for _, t := range c.top {
		v.Top = append(v.Top, Named{t.Name, t.Line, masked(t.Name, t.Text)})
	}
	for _, r := range c.Routes {
		v.Routes = append(v.Routes, Named{r.Name, r.At.Line, masked("", r.Text)})
	}
	for _, u := range c.Upstreams {
		v.Upstreams = append(v.Upstreams, Named{u.Name, u.At.Line, masked("", u.Text)})
	}
	return v
}

// mask stands in place of a secret where a configuration is shown.
const mask = "(hidden)"

// Secrets belong in files that a configuration names. What a file holds all the same is
// recognised by the name it stands under: credentials that are sent to upstreams or
// compared in a match, and passwords.
var (
	secretField = regexp.MustCompile(`(?i)authorization|cookie|token|secret|passw|credential|signature|api-?_?key|private`)
	secretKey   = regexp.MustCompile(`(?i)^(password|passwd|passphrase|token|credentials?|client-secret)$`)
)

// fieldMaps are where keys are the names of header fields or of parameters.
var fieldMaps = map[string]bool{"set": true, "add": true, "headers": true, "query": true, "cookies": true}

// masked returns a text of the configuration, YAML on one line, without its secrets.
// name is what it stands under.
func masked(name, text string) string {
	if !secretField.MatchString(text) && !secretKey.MatchString(name) {
		return text
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		return mask // it can't be looked through
	}
	hide(doc.Content[0], name)
	return string(appendText(nil, doc.Content[0]))
}

// hide masks secrets below a node that stands under a name.
func hide(n *yaml.Node, under string) {
	if n.Kind != yaml.MappingNode {
		for _, c := range n.Content {
			hide(c, under)
		}
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		if fieldMaps[under] && secretField.MatchString(key) || secretKey.MatchString(key) && !isFile(value) {
			n.Content[i+1] = &yaml.Node{Kind: yaml.ScalarNode, Value: mask}
			continue
		}
		hide(value, key)
	}
}

// isFile reports whether a value is a path, which is where secrets should be.
func isFile(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && (strings.HasPrefix(n.Value, "/") || strings.HasPrefix(n.Value, "./"))
}

// Change is a part of the file that is another one in another configuration.
type Change struct {
	Part   string `json:"part"` // "route", "upstream", or the name of another field at the top
	Name   string `json:"name,omitempty"`
	Kind   string `json:"kind"`             // added, removed, changed, moved
	Before string `json:"before,omitempty"` // as YAML on one line, without secrets
	After  string `json:"after,omitempty"`
}

// Kinds of changes. Where a route stands matters among those that match alike.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
	Moved   = "moved"
)

// Diff tells what is different in after, in the order of the parts there; what is gone
// comes last of its kind. What [Config.With] has added is no part of either.
func Diff(before, after *Config) []Change {
	changes := diff("", before.top, after.top)
	changes = append(changes, diff("route", named(before.own(), routeNamed), named(after.own(), routeNamed))...)
	return append(changes, diff("upstream", named(before.ownUpstreams(), upstreamNamed), named(after.ownUpstreams(), upstreamNamed))...)
}

func (c *Config) own() []*Route { return c.Routes[:len(c.Routes)-c.added.routes] }
func (c *Config) ownUpstreams() []*Upstream {
	return c.Upstreams[:len(c.Upstreams)-c.added.upstreams]
}

func routeNamed(r *Route) Named       { return Named{Name: r.Name, Text: r.Text} }
func upstreamNamed(u *Upstream) Named { return Named{Name: u.Name, Text: u.Text} }

func named[T any](list []T, of func(T) Named) []Named {
	all := make([]Named, len(list))
	for i, v := range list {
		all[i] = of(v)
	}
	return all
}

// diff compares two lists of parts by name. part is empty for fields at the top, which
// are parts by themselves and have no order.
func diff(part string, before, after []Named) (changes []Change) {
	was := make(map[string]int, len(before))
	for i, b := range before {
		was[b.Name] = i
	}
	change := func(name, kind, from, to string) {
		c := Change{Part: part, Name: name, Kind: kind, Before: masked(name, from), After: masked(name, to)}
		if part == "" {
			c.Part, c.Name = name, ""
		}
		changes = append(changes, c)
	}
	last := -1
	for _, a := range after {
		i, ok := was[a.Name]
		delete(was, a.Name)
		switch {
		case !ok:
			change(a.Name, Added, "", a.Text)
		case before[i].Text != a.Text:
			change(a.Name, Changed, before[i].Text, a.Text)
		case part == "route" && i < last:
			change(a.Name, Moved, "", "")
		}
		if ok {
			last = max(last, i)
		}
	}
	gone := make([]int, 0, len(was))
	for _, i := range was {
		gone = append(gone, i)
	}
	slices.SortFunc(gone, cmp.Compare[int])
	for _, i := range gone {
		change(before[i].Name, Removed, before[i].Text, "")
	}
	return changes
}
