package config

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kubernetes is where the endpoints of an upstream are found: a Service of a Kubernetes
// cluster, by its EndpointSlices.
type Kubernetes struct {
	At        At
	Cluster   KubernetesCluster
	Namespace string // "": that of the gateway's pod, or of the kubeconfig's context
	Service   string
	Port      string         // of the Service, its name or number; "": the only one it has
	Protocol  KubernetesTalk // that its endpoints are spoken to in
	Family    KubernetesFamily
}

// KubernetesCluster is a cluster, and how to get at its API server.
type KubernetesCluster struct {
	Kubeconfig string        // file; "": the one that the gateway's pod runs in
	Context    string        // of that file; "": its current one
	Timeout    time.Duration // for a response
}

// NewKubernetesCluster is the cluster that the gateway runs in, with the defaults.
func NewKubernetesCluster() KubernetesCluster { return KubernetesCluster{Timeout: 10 * time.Second} }

// Same is equal for clusters that one connection serves.
func (c *KubernetesCluster) Same() string {
	return fmt.Sprintf("%q %q %s", c.Kubeconfig, c.Context, c.Timeout)
}

// Same is equal for endpoints that are found alike.
func (k *Kubernetes) Same() string {
	return fmt.Sprintf("%q %q %q %d %d", k.Namespace, k.Service, k.Port, k.Protocol, k.Family)
}

// KubernetesTalk is how endpoints are spoken to.
type KubernetesTalk uint8

const (
	TalkAsTold KubernetesTalk = iota // HTTP/1.1, or what the port's appProtocol says
	TalkHTTP
	TalkHTTPS
	TalkH2C
)

var kubernetesTalks = []string{"auto", "http", "https", "h2c"}

// KubernetesFamily is which address of an endpoint with two is asked.
type KubernetesFamily uint8

const (
	PreferIPv4 KubernetesFamily = iota // IPv4, and IPv6 of those that have no other
	PreferIPv6
	OnlyIPv4
	OnlyIPv6
)

var kubernetesFamilies = []string{"prefer-ipv4", "prefer-ipv6", "ipv4", "ipv6"}

const kubernetesExample = "such as kubernetes: {service: users, port: http}"

func readKubernetes(p place) *Kubernetes {
	k := &Kubernetes{At: p.At(), Cluster: NewKubernetesCluster()}
	found := readFields(p, k, append([]known[Kubernetes]{
		// The Service's name. Default: required
		{"service", func(k *Kubernetes, p place) { k.Service = p.text() }},
		// Default: that of the gateway's pod, or of the kubeconfig's context
		{"namespace", func(k *Kubernetes, p place) { k.Namespace = p.text() }},
		// Name or number of the Service's port. Default: the only one it has
		{"port", func(k *Kubernetes, p place) { k.Port = p.text() }},
		// How endpoints are spoken to. Default: `auto`: HTTP/1.1, or what the port's `appProtocol`
		// says
		{"protocol", func(k *Kubernetes, p place) {
			k.Protocol = KubernetesTalk(max(0, slices.Index(kubernetesTalks, p.word(kubernetesTalks...))))
		}},
		// Which address is used of endpoints with two. Default: `prefer-ipv4`
		{"family", func(k *Kubernetes, p place) {
			k.Family = KubernetesFamily(max(0, slices.Index(kubernetesFamilies, p.word(kubernetesFamilies...))))
		}},
	}, clusterFields(func(k *Kubernetes) *KubernetesCluster { return &k.Cluster })...))
	if _, ok := found["service"]; !ok && p.IsMapping() {
		p.Problem(kubernetesExample, "kubernetes needs service")
	}
	k.Cluster.check(found)
	return k
}

// clusterFields are what leads to a cluster.
func clusterFields[T any](of func(*T) *KubernetesCluster) []known[T] {
	return []known[T]{
		// File with the cluster and how to log in to it. Default: the cluster that the gateway's
		// pod runs in
		{"kubeconfig", func(t *T, p place) { of(t).Kubeconfig = p.path() }},
		// A context of that file. Default: its current one
		{"context", func(t *T, p place) { of(t).Context = p.text() }},
		// For a response of the API server.
		{"timeout", func(t *T, p place) { of(t).Timeout = p.Duration(100*time.Millisecond, time.Minute) }},
	}
}

func (c *KubernetesCluster) check(found map[string]place) {
	if at, ok := found["context"]; ok && c.Kubeconfig == "" {
		at.Problem("add kubeconfig: ./kubeconfig, or remove context", "a context is one of a kubeconfig file, and there is none")
	}
}

// KubernetesRoutes is where routes and upstreams stand in Kubernetes: resources of the
// Gateway API.
type KubernetesRoutes struct {
	At         At
	Text       string // all of it but its place
	Cluster    KubernetesCluster
	Gateways   []KubernetesName
	Controller string   // that the Gateways' class names
	Addresses  []string // at which clients reach the gateway, for the Gateways' status
	Priority   int      // of the routes: the file's own have 0 if they say nothing
}

// KubernetesName is the name of an object in a namespace; "": that of the gateway's pod,
// or of the kubeconfig's context.
type KubernetesName struct{ Namespace, Name string }

// kubernetesController is what a GatewayClass for nanogate says.
const kubernetesController = "nanogate/gateway"

// kubernetesPriority is below that of the file's routes. Whoever may write a route in a
// namespace that the Gateway lets in would else take any path from a route of the file by
// a more specific one, past the guards that it has.
const kubernetesPriority = -1

func readKubernetesRoutes(p place) *KubernetesRoutes {
	k := &KubernetesRoutes{At: p.At(), Text: p.in.text(p.Node), Cluster: NewKubernetesCluster(), Controller: kubernetesController, Priority: kubernetesPriority}
	found := readFields(p, k, append([]known[KubernetesRoutes]{
		// Gateways whose routes are served, `NAME` or `NAMESPACE/NAME`. Default: required
		{"gateway", func(k *KubernetesRoutes, p place) {
			for _, item := range p.list() {
				k.Gateways = append(k.Gateways, readKubernetesName(item))
			}
		}},
		// What the Gateways' class has as `controllerName`.
		{"controller", func(k *KubernetesRoutes, p place) {
			if k.Controller = p.text(); k.Controller != "" && !strings.Contains(k.Controller, "/") {
				p.Problem("such as "+kubernetesController, "expected what a GatewayClass has as controllerName, DOMAIN/PATH, got %s", form.Quote(k.Controller))
			}
		}},
		// Of the routes that stand in Kubernetes; the file's own have 0.
		{"priority", func(k *KubernetesRoutes, p place) { k.Priority = p.Integer(-mostPriority, mostPriority) }},
		// At which clients reach the gateway, for the Gateways' status. Default: none
		{"addresses", func(k *KubernetesRoutes, p place) {
			for _, item := range p.list() {
				text := item.text()
				if _, err := netip.ParseAddr(text); err != nil && text != "" && !isName(text) {
					item.Problem("such as 192.0.2.7", "expected an IP address or a host name, got %s", form.Quote(text))
				}
				k.Addresses = append(k.Addresses, text)
			}
		}},
	}, clusterFields(func(k *KubernetesRoutes) *KubernetesCluster { return &k.Cluster })...))
	if len(k.Gateways) == 0 && p.IsMapping() {
		p.Problem("such as kubernetes: {gateway: shop/web}", "kubernetes needs gateway: whose routes are served")
	}
	k.Cluster.check(found)
	return k
}

// hintsOfKubernetes tells of a route before which no route of the Gateway is tried.
func (c *Config) hintsOfKubernetes() (hints Problems) {
	if c.Kubernetes == nil {
		return nil
	}
	for _, r := range c.own() {
		m := &r.Match
		all := len(m.Hosts)+len(m.Methods)+len(m.Headers)+len(m.Query)+len(m.Cookies) == 0 && m.Path.Text == "/*" && m.Scheme == "" && m.Port == 0
		if all && r.Priority > c.Kubernetes.Priority {
			hints = append(hints, r.At.Problem(fmt.Sprintf("give it priority: %d, or narrow its match", c.Kubernetes.Priority-1),
				"%s takes all requests before any route of the Gateway, which have priority %d", r.Name, c.Kubernetes.Priority))
		}
	}
	return hints
}

// readKubernetesName reads NAME or NAMESPACE/NAME.
func readKubernetesName(p place) (n KubernetesName) {
	text := p.text()
	n.Name = text
	if namespace, name, ok := strings.Cut(text, "/"); ok {
		n = KubernetesName{namespace, name}
		if !IsLabel(namespace) {
			n.Name = ""
		}
	}
	if text != "" && (!isName(n.Name) || strings.ToLower(n.Name) != n.Name) {
		p.Problem("such as web or shop/web", "expected NAME or NAMESPACE/NAME, got %s", form.Quote(text))
	}
	return n
}

// IsLabel reports whether s is a DNS label in lower case (RFC 1123 2.1), as names of
// namespaces, Services and ports are.
func IsLabel(s string) bool {
	return s != "" && len(s) <= 63 && s[0] != '-' && s[len(s)-1] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// check says what is wrong with how a Service is named. The names of objects are DNS labels, a
// port is named or has its number.
func (k *Kubernetes) check(report report) {
	for _, of := range []struct{ field, what, name string }{{"service", "Service", k.Service}, {"namespace", "namespace", k.Namespace}} {
		if of.name != "" && !IsLabel(of.name) {
			report([]string{of.field}, "at most 63 lower-case letters, digits and dashes", "expected the name of a %s, got %s", of.what, form.Quote(of.name))
		}
	}
	switch port := k.Port; {
	case port == "":
	case strings.Trim(port, "0123456789") != "":
		if !IsLabel(port) {
			report([]string{"port"}, "such as http or 80", "expected the name or number of a Service's port, got %s", form.Quote(port))
		}
	default:
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			report([]string{"port"}, "such as http or 80", "expected a port from 1 to 65535, got %s", form.Quote(port))
		}
	}
}
