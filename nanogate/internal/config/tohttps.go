package config

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
)

// ToHTTPS is an address whose clients are all sent to https, before any route is looked for:
// no route can be reached there in the clear.
type ToHTTPS struct {
	At     At
	Port   uint16 // of the address that is listened on
	To     uint16 // the port of https, as clients have it
	Status int
}

// readToHTTPS reads https, or fields.
func readToHTTPS(p place) *ToHTTPS {
	m := &ToHTTPS{At: p.At(), To: 443, Status: 308}
	if !p.IsMapping() {
		p.word("https")
		return m
	}
	readFields(p, m, []known[ToHTTPS]{
		// The port of https, as clients reach it.
		{"port", func(m *ToHTTPS, p place) { m.To = uint16(p.Integer(1, 65535)) }},
		// 301, 302, 307 or 308.
		{"status", func(m *ToHTTPS, p place) {
			if m.Status = p.status(301, 308); !slices.Contains([]int{301, 302, 307, 308}, m.Status) {
				p.Problem("", "expected 301, 302, 307 or 308, got %d", m.Status)
			}
		}},
	})
	return m
}

// linkToHTTPS finds out by which port requests are told that are sent elsewhere.
func (c *Config) linkToHTTPS(in *input) {
	ports := map[uint16]*Listener{}
	for i := range c.Listen {
		l := &c.Listen[i]
		_, text, _ := net.SplitHostPort(l.Address)
		port, _ := strconv.ParseUint(text, 10, 16)
		if m := l.ToHTTPS; m != nil {
			m.Port = uint16(port)
			switch {
			case l.TLS != nil:
				in.Problems = append(in.Problems, m.At.Problem("remove tls, or the redirect", "clients of an address with TLS are at https already"))
			case port == 0:
				in.Problems = append(in.Problems, m.At.Problem("such as {address: \":80\", redirect: https}", "an address that redirects needs a port"))
			}
			c.ToHTTPS = append(c.ToHTTPS, *m)
		}
		other := ports[uint16(port)]
		if ports[uint16(port)] = l; other == nil || port == 0 {
			continue
		}
		if a, b := l.ToHTTPS, other.ToHTTPS; (a == nil) != (b == nil) || a != nil && (a.To != b.To || a.Status != b.Status) {
			in.Problems = append(in.Problems, l.At.Problem("give both the same redirect, or another port to one", "line %d has port %d redirect in another way, and requests are told by the port", other.At.Line, port))
		}
	}
}

// HTTPSOf is where clients of one of the gateway's ports are sent; nil: nowhere.
func (c *Config) HTTPSOf(port uint16) *ToHTTPS {
	for i := range c.ToHTTPS {
		if c.ToHTTPS[i].Port == port {
			return &c.ToHTTPS[i]
		}
	}
	return nil
}

// Hints are what a file says that is no mistake, but may not be what was meant.
func (c *Config) Hints() (all Problems) {
	all = c.hintsOfKubernetes()
	for i := range c.ToHTTPS {
		if m := &c.ToHTTPS[i]; !c.listensForTLS(m.To) {
			all = append(all, m.At.Problem("redirect: {port: N} says the port that clients reach it by; leave it if they reach one by this",
				"clients are sent to https at port %d, where no address of the file listens with TLS", m.To))
		}
	}
	if hint := c.Admin.hint(); hint != nil {
		all = append(all, *hint)
	}
	for _, r := range c.Routes {
		if r.Redirect == nil || r.Match.Scheme != "http" || len(r.Match.Hosts) > 0 || r.Match.Path.Text != "/*" || !r.Redirect.To.leadsTo("https://") {
			continue
		}
		var before []string
		for _, other := range c.Routes {
			if other != r && other.Redirect == nil && other.Match.Scheme != "https" && other.takesBefore(r) {
				before = append(before, other.Name)
			}
		}
		if len(before) > 0 {
			all = append(all, r.At.Problem("to send all clients of an address to https: listen: [{address: \":80\", redirect: https}]; else give this route priority: 1000, or those scheme: https",
				"%s %s more specific than this redirect to https, so that clients reach %s in the clear", names(before), map[bool]string{true: "is", false: "are"}[len(before) == 1], map[bool]string{true: "it", false: "them"}[len(before) == 1]))
		}
	}
	return all
}

// listensForTLS reports whether an address with TLS has a port.
func (c *Config) listensForTLS(port uint16) bool {
	return slices.ContainsFunc(c.Listen, func(l Listener) bool {
		_, text, _ := net.SplitHostPort(l.Address)
		n, _ := strconv.ParseUint(text, 10, 16)
		return l.TLS != nil && uint16(n) == port
	})
}

// takesBefore reports whether a route takes requests that one for all hosts and paths would
// take too.
func (r *Route) takesBefore(all *Route) bool {
	if r.Priority != all.Priority {
		return r.Priority > all.Priority
	}
	return len(r.Match.Hosts) > 0 || r.Match.Path.Text != "/*"
}

// names lists a few of them.
func names(all []string) string {
	const few = 3
	if len(all) > few {
		return fmt.Sprintf("%s and %d more routes", strings.Join(all[:few], ", "), len(all)-few)
	}
	return strings.Join(all, ", ")
}

// leadsTo reports whether what a template makes begins so.
func (t *Template) leadsTo(prefix string) bool {
	return t != nil && len(t.Parts) > 0 && strings.HasPrefix(t.Parts[0].Text, prefix)
}
