package gatewayapi

import (
	"slices"

	"dyno.example/nanogate/internal/config"
)

// A request comes to one listener: to that with the most specific hostname of those at its
// entrance, and matches the routes of that listener only (Gateway.spec.listeners, listener
// isolation). The router goes on to wider hostnames when it has found nothing, so hostnames
// with a listener of their own are left out of what wider listeners take, and end with a
// route that responds 404.

// rankLast is the rank of what comes after all rules.
const rankLast = 1_000_000

// overlap reports whether requests for a hostname of the narrower listener would be the
// wider one's too, if it weren't there.
func (t *translation) overlap(narrower, wider *listener) bool {
	a, b := narrower.hostname(), wider.hostname()
	return narrower.wrong == nil && wider.wrong == nil && a != b && within(a, b) && t.entrance(narrower) == t.entrance(wider)
}

// within reports whether a hostname is one of those that another one stands for; "" stands
// for all.
func within(name, wider string) bool { return wider == "" || name == wider || below(name, wider) }

// own are those of a listener's hosts that no narrower listener has.
func (t *translation) own(l *listener, hosts []string) []string {
	return slices.DeleteFunc(slices.Clone(hosts), func(host string) bool {
		return slices.ContainsFunc(t.listeners[l.gateway], func(other *listener) bool {
			return t.overlap(other, l) && within(host, other.hostname())
		})
	})
}

// isolate makes the routes that respond 404 for what a listener has no route for.
func (t *translation) isolate() {
	entrances := t.entrances()
	for _, name := range sorted(t.listeners) {
		all := t.listeners[name]
		for _, l := range all {
			if slices.ContainsFunc(all, func(other *listener) bool { return t.overlap(l, other) }) {
				made := config.NewRoute(config.At{Path: "Gateway " + name.String(), Field: "listener " + string(l.Name)}, "gateway/"+name.String()+"/"+string(l.Name))
				made.Match.Hosts, made.Match.Rank = []string{l.hostname()}, rankLast
				made.Respond = config.NewRespond(404)
				only(made, t.entrance(l), entrances)
				t.result.Addition.Routes = append(t.result.Addition.Routes, made)
			}
		}
	}
}
