package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Etcd is where the instances of an upstream register: a cluster of etcd, and the
// prefix of their keys.
type Etcd struct {
	At      At
	Cluster EtcdCluster
	Prefix  string // ends with a slash
}

// EtcdCluster is a cluster of etcd and how to log in to it.
type EtcdCluster struct {
	Endpoints []string      // of its members: http://host:port or https://host:port, all of the same kind
	User      Secret        // nobody logs in without one
	Password  Secret        // never as text
	CA        string        // file of who signs the members' certificates; "": those that the system trusts
	Cert, Key string        // files of our certificate; "": none
	Name      string        // that the members' certificates are for; "": that of their endpoint
	Timeout   time.Duration // for a response
}

// NewEtcdCluster is a cluster of those endpoints with the defaults.
func NewEtcdCluster(endpoints ...string) EtcdCluster {
	return EtcdCluster{Endpoints: endpoints, Timeout: 3 * time.Second}
}

// TLS reports whether the connections are encrypted.
func (c *EtcdCluster) TLS() bool {
	return len(c.Endpoints) > 0 && strings.HasPrefix(c.Endpoints[0], "https://")
}

// Same is equal for clusters that one connection serves.
func (c *EtcdCluster) Same() string {
	endpoints := slices.Sorted(slices.Values(c.Endpoints))
	return fmt.Sprintf("%q %q %q %q %q %q %q %s", endpoints, c.User, c.Password, c.CA, c.Cert, c.Key, c.Name, c.Timeout)
}

// Secret is something that isn't written into the file: it stands in another file, or in
// the environment. Text is for what needn't be secret.
type Secret struct{ Text, File, Env string }

// Empty reports whether there is none.
func (s Secret) Empty() bool { return s == Secret{} }

func readEtcd(p place) *Etcd {
	e := &Etcd{At: p.At(), Cluster: NewEtcdCluster()}
	c := &e.Cluster
	tls := false
	var endpoints []place
	found := readFields(p, e, []known[Etcd]{
		// Members of the cluster, `host:port` or URLs. Value: one or a list of: `host:port` or URL. Default: required
		{"endpoints", func(_ *Etcd, p place) { endpoints = p.list() }},
		// What the instances' keys begin with; it ends with a slash. Default: required
		{"prefix", func(e *Etcd, p place) {
			if e.Prefix = p.text(); e.Prefix != "" && !strings.HasSuffix(e.Prefix, "/") {
				p.Problem("write "+e.Prefix+"/", "a prefix ends with a slash: without it, keys that only begin alike would be meant too")
			}
		}},
		// A text, `{file}` or `{env}`. Default: none
		{"user", func(_ *Etcd, p place) { c.User = p.secret(true) }},
		// `{file}` or `{env}`, never as a text. Default: none
		{"password", func(_ *Etcd, p place) { c.Password = p.secret(false) }},
		// TLS with the members.
		{"tls", func(_ *Etcd, p place) {
			tls = true
			readFields(p, c, etcdTLSFields)
		}},
		// For a response.
		{"timeout", func(_ *Etcd, p place) { c.Timeout = p.Duration(10*time.Millisecond, time.Minute) }},
	})
	for _, item := range endpoints {
		c.readEndpoint(item, tls)
	}
	if !p.IsMapping() {
		return e
	}
	for _, name := range []string{"endpoints", "prefix"} {
		if at, ok := found[name]; !ok || name == "endpoints" && at.IsList() && len(endpoints) == 0 {
			p.Problem(`such as etcd: {endpoints: ["127.0.0.1:2379"], prefix: /services/users/}`, "etcd needs %s", name)
		}
	}
	if c.User.Empty() != c.Password.Empty() {
		p.Problem("such as user: gateway, password: {file: ./etcd.password}", "a user and a password go together")
	}
	if (c.Cert == "") != (c.Key == "") {
		found["tls"].Problem("such as tls: {cert: ./gateway.pem, key: ./gateway.key}", "a certificate and its key go together")
	}
	return e
}

var etcdTLSFields = []known[EtcdCluster]{
	// PEM file of who signs the members' certificates. Default: the system's authorities
	{"ca", func(c *EtcdCluster, p place) { c.CA = p.path() }},
	// PEM file of the gateway's certificate. Default: none
	{"cert", func(c *EtcdCluster, p place) { c.Cert = p.path() }},
	// PEM file of its key.
	{"key", func(c *EtcdCluster, p place) { c.Key = p.path() }},
	// The name that the members' certificates are for. Default: that of each endpoint
	{"name", func(c *EtcdCluster, p place) { c.Name = p.text() }},
}

// readEndpoint reads a member's address.
func (c *EtcdCluster) readEndpoint(p place, tls bool) {
	text := p.text()
	if text == "" {
		return
	}
	endpoint, err := EtcdEndpoint(text, tls)
	switch {
	case err != nil:
		p.Problem("such as 127.0.0.1:2379 or https://etcd-1.example.com:2379", "%v", err)
		return
	case tls && strings.HasPrefix(endpoint, "http://"):
		p.Problem("write https://, or remove tls", "the endpoint says http://, and tls is given")
	case len(c.Endpoints) > 0 && c.TLS() != strings.HasPrefix(endpoint, "https://"):
		p.Problem("", "endpoints of one cluster are all http:// or all https://")
	}
	c.Endpoints = append(c.Endpoints, endpoint)
}

// EtcdEndpoint reads the address of a member of an etcd cluster: http://host:port,
// https://host:port or host:port, which is https if tls is set. It returns it with its
// scheme.
func EtcdEndpoint(text string, tls bool) (string, error) {
	scheme := "http"
	if tls {
		scheme = "https"
	}
	rest := text
	if before, after, ok := strings.Cut(text, "://"); ok {
		scheme, rest = before, after
	}
	if scheme != "http" && scheme != "https" {
		return "", fmt.Errorf("expected http://, https:// or host:port, got the scheme %s", form.Quote(scheme))
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("expected host:port, got %s", form.Quote(text))
	}
	host, port := u.Hostname(), u.Port()
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || host == "" {
		return "", fmt.Errorf("expected host:port, got %s", form.Quote(text))
	}
	return scheme + "://" + net.JoinHostPort(host, port), nil
}

// secret reads where a secret stands. Its text itself is taken if plain is set.
func (p place) secret(plain bool) (s Secret) {
	if !p.IsMapping() {
		if plain {
			s.Text = p.text()
		} else {
			p.Problem("write {file: ./password} or {env: PASSWORD}", "what is secret doesn't stand in this file")
		}
		return s
	}
	readFields(p, &s, []known[Secret]{
		{"file", func(s *Secret, p place) { s.File = p.path() }},
		{"env", func(s *Secret, p place) { s.Env = p.text() }},
	})
	if (s.File == "") == (s.Env == "") {
		p.Problem("write {file: ./password} or {env: PASSWORD}", "it stands in exactly one of a file and an environment variable")
	}
	return s
}
