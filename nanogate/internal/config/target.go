package config

import "strings"

// Target is where a share of a route's requests goes.
type Target struct {
	At       At
	Upstream string    // name of one
	Direct   *Upstream // or one without a name, from a URL
	Weight   int
}

// targets are all that requests of the route are sent to.
func (r *Route) targets() (all []*Target) {
	for i := range r.To {
		all = append(all, &r.To[i])
	}
	if r.Canary != nil {
		all = append(all, &r.Canary.To)
	}
	if r.Mirror != nil {
		all = append(all, &r.Mirror.To)
	}
	return all
}

// readTo reads one target, or targets with their weights.
func (r *Route) readTo(p place) {
	if !p.IsMapping() {
		r.To = []Target{readTarget(p, p.text())}
		return
	}
	for _, f := range p.fields() {
		t := readTarget(f.named, f.key)
		t.Weight = f.value.Integer(0, mostWeight)
		r.To = append(r.To, t)
	}
	if len(r.To) == 0 {
		p.Problem(weightsHint, weightsMessage)
	}
}

const (
	weightsHint    = "such as {users: 95, users-v2: 5}"
	weightsMessage = "the weights of the targets are nothing together"
)

// readTarget reads the name of an upstream, or a URL.
func readTarget(p place, text string) Target {
	t := Target{At: p.At(), Upstream: text, Weight: 1}
	if !strings.Contains(text, "://") && !strings.HasPrefix(text, "unix:") {
		return t
	}
	t.Upstream = ""
	t.Direct = NewUpstream(p.At(), text)
	t.Direct.Text = text
	t.Direct.readEndpoint(p, text)
	return t
}
