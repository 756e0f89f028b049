package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Consul is where the instances of an upstream are found: a service that is registered
// with Consul.
type Consul struct {
	At         At
	Address    string // of an agent or server: http://host:port, https://host:port or unix:/path
	TLS        *UpstreamTLS
	Service    string
	Tags       []string      // that an instance has, all of them
	Datacenter string        // "": the agent's own
	Token      string        // file of the ACL token, read for each question; "": none is told
	Warning    bool          // instances that a check warns of are asked too
	Sockets    bool          // instances of the agent's own node may be unix sockets
	Zone       string        // name of the service's or node's metadata that holds an instance's zone, if it has no locality
	Protocol   string        // that instances are spoken to in: "http", "https" or "h2c"
	Timeout    time.Duration // for a response, beyond the time that Consul is let wait for a change
}

// consulAgent is where an agent on the same machine listens.
const consulAgent = "http://127.0.0.1:8500"

// consulProtocols are how instances can be spoken to.
var consulProtocols = []string{"http", "https", "h2c"}

// Same is equal for queries that have the same response.
func (c *Consul) Same() string {
	same := fmt.Sprintf("%q %q %q %q %v %q %q", c.Address, c.Service, c.Tags, c.Datacenter, c.Warning, c.Zone, c.Protocol)
	if c.Sockets {
		same += " sockets"
	}
	return same
}

func readConsul(p place) *Consul {
	c := &Consul{At: p.At(), Address: consulAgent, Zone: "zone", Timeout: 5 * time.Second}
	if !p.IsMapping() {
		c.Service = p.consulName("service")
		return c
	}
	found := readFields(p, c, []known[Consul]{
		// The service's name. Default: required
		{"service", func(c *Consul, p place) { c.Service = p.consulName("service") }},
		// Agent or server, `http://host:port`, `https://host:port` or `unix:/path`.
		{"address", (*Consul).readAddress},
		// Tags that an instance must have, all of them. Default: none
		{"tags", func(c *Consul, p place) {
			for _, item := range p.list() {
				c.Tags = append(c.Tags, item.text())
			}
		}},
		// Default: the agent's own
		{"datacenter", func(c *Consul, p place) { c.Datacenter = p.consulName("datacenter") }},
		// File of the ACL token. Default: none
		{"token", func(c *Consul, p place) { c.Token = p.path() }},
		// Instances that a check warns of aren't used. Default: `true`
		{"passing-only", func(c *Consul, p place) { c.Warning = !p.Boolean() }},
		// Instances of the agent's own node may be unix sockets. Default: `false`
		{"sockets", func(c *Consul, p place) { c.Sockets = p.Boolean() }},
		// Name of the metadata that holds an instance's zone, if it has no locality.
		{"zone", func(c *Consul, p place) { c.Zone = p.text() }},
		// How instances are spoken to. Default: `http`, or `https` if the upstream has `tls`
		{"protocol", func(c *Consul, p place) { c.Protocol = p.word(consulProtocols...) }},
		// For a response, beyond the time that Consul waits for a change.
		{"timeout", func(c *Consul, p place) { c.Timeout = p.Duration(10*time.Millisecond, time.Minute) }},
		// TLS with the agent.
		{"tls", func(c *Consul, p place) { c.TLS = readUpstreamTLS(p) }},
	})
	if _, ok := found["service"]; !ok {
		p.Problem("such as consul: {service: users}", "consul needs a service")
	}
	if at, ok := found["tls"]; ok && !strings.HasPrefix(c.Address, "https://") {
		at.Problem("write address: https://…, where agents listen on port 8501", "Consul is asked without TLS, and tls is given")
	}
	if at, ok := found["token"]; ok && strings.HasPrefix(c.Address, "http://") && !c.local() {
		at.Problem("write address: https://…", "a token that goes over plain http to another machine could be anybody's: only this machine's own addresses are taken")
	}
	if at, ok := found["sockets"]; ok && c.Sockets && !c.local() {
		at.Problem("ask this machine's own agent, or leave sockets out", "unix sockets are those of the agent's machine, and %s is another one", c.Address)
	}
	return c
}

// local reports whether the agent is on this machine.
func (c *Consul) local() bool {
	if strings.HasPrefix(c.Address, "unix:") {
		return true
	}
	u, err := url.Parse(c.Address)
	return err == nil && slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
}

func (c *Consul) readAddress(p place) {
	text := p.text()
	if text == "" {
		return
	}
	if _, err := ParseAddress(text); err != nil || strings.HasPrefix(text, "h2c://") {
		p.Problem("such as "+consulAgent+", https://consul.example.com:8501 or unix:/run/consul.sock", "expected the address of a Consul agent, got %s", form.Quote(text))
		return
	}
	if !strings.Contains(text, "://") && !strings.HasPrefix(text, "unix:") {
		text = "http://" + text
	}
	c.Address = strings.TrimSuffix(text, "/")
}

// consulName reads the name of a service or datacenter. Consul itself takes more for
// services, but not in its DNS.
func (p place) consulName(what string) string {
	text := p.text()
	if text != "" && !isName(text) {
		p.Problem("", "expected the name of a %s, got %s", what, form.Quote(text))
		return ""
	}
	return text
}

// linkConsul settles how instances are spoken to.
func (u *Upstream) linkConsul() {
	if c := u.Consul; c != nil && c.Protocol == "" {
		c.Protocol = "http"
		if u.TLS != nil {
			c.Protocol = "https"
		}
	}
}
