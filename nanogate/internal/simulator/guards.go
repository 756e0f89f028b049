//go:build linux

package simulator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dyno.example/nano/wire/simulated"
)

// Guards, limits and the choice of endpoints, added to routes and upstreams. They are drawn from
// random numbers of their own, so that worlds without them are what they were before there were
// any.

const (
	rightKey   = "a-key-of-the-simulator"
	wrongKey   = "another-key-of-nobody"
	deniedNet  = "198.51.100.0/26"
	stickyKey  = "a-secret-of-the-simulator"
	canaryTo   = "canary"
	canaryFrom = "stable"
)

// drawGuards draws them, for half of the worlds.
func (d *drawing) drawGuards() {
	random := simulated.Seeded(d.Seed, 102)
	if !random.OneIn(2) {
		return
	}
	for _, g := range d.Groups {
		g.drawRules(random)
	}
	for _, r := range d.Routes {
		r.drawGuards(random)
	}
	last := int64(1)
	for _, c := range d.Clients {
		last = max(last, c.At)
	}
	for _, g := range d.Groups {
		for _, e := range g.all() {
			for g.has("health") && random.OneIn(2) {
				from := int64(random.Below(int(last/1e6)+100)) * 1e6
				e.Sick = append(e.Sick, sickness{from, from + int64(random.Below(2000))*1e6})
			}
		}
	}
	for _, c := range d.Clients {
		for _, r := range c.Requests {
			r.drawFields(c, random)
		}
	}
}

// all are the endpoints that it ever has.
func (g *Group) all() []*Endpoint {
	if g.Spare == nil {
		return g.Endpoints
	}
	return append(g.Endpoints[:len(g.Endpoints):len(g.Endpoints)], g.Spare)
}

func (g *Group) has(name string) bool {
	for _, l := range g.Lines {
		if !l.Off && strings.HasPrefix(l.Text, name+":") {
			return true
		}
	}
	return false
}

// drawRules draws what an upstream's endpoints are judged by.
func (g *Group) drawRules(random *simulated.Random) {
	add := func(format string, args ...any) { g.Lines = append(g.Lines, &Line{Text: fmt.Sprintf(format, args...)}) }
	if random.OneIn(2) {
		add("outliers: {failures: %d, eject: %dms, most: %d%%}", random.Between(1, 4), random.Between(100, 1000), []int{50, 100}[random.Below(2)])
	}
	if random.OneIn(3) {
		add("health: {path: /up, every: %dms, timeout: 40ms, unhealthy: %d, healthy: %d}", int(checkEvery/1e6), unhealthy, random.Between(1, 3))
	}
	if random.OneIn(3) && !strings.Contains(g.Balance, "hash") {
		add("slow-start: %dms", random.Between(100, 3000))
	}
}

func (r *Route) drawGuards(random *simulated.Random) {
	add := func(format string, args ...any) { r.Lines = append(r.Lines, &Line{Text: fmt.Sprintf(format, args...)}) }
	some := func(line string, in int) {
		if random.OneIn(in) {
			add("%s", line)
		}
	}
	some("deny: ["+deniedNet+"]", 8)
	some("cors: {origins: [https://a.example], credentials: true}", 6)
	some("csrf: on", 6)
	some("keys: {file: ./keys, failures: off, forward: x-key-of}", 6)
	some("request-id: {keep: true}", 5)
	some("shed: {objective: 5ms}", 10)
	some("breaker: {errors: 30%, over: 1s, least: 5, open: 200ms}", 10)
	some("importance: {header: x-importance}", 8)
	if r.Kind == "plain" && random.OneIn(3) {
		add("sticky: {cookie: seat, key: ./sticky}")
	}
	for _, l := range r.Lines {
		if l.Text[:5] == "canar" && random.OneIn(2) {
			l.Text = strings.Replace(l.Text, "roll-back: off", "roll-back: off, header: x-canary", 1)
		} else if l.Text[:5] == "canar" && random.OneIn(2) {
			l.Text = strings.Replace(l.Text, "weight: 30%, roll-back: off", "steps: [{weight: 10%, for: 1s}, {weight: 60%}], roll-back: {least: 5, confidence: 80%}", 1)
		}
	}
}

// drawFields draws what a request shows to guards, and how they decide on it.
func (r *Request) drawFields(c *Client, random *simulated.Random) {
	say := func(name, value string) { r.Fields = append(r.Fields, [2]string{name, value}) }
	refuse := func(status int) {
		if r.Refused == 0 {
			r.Refused = status
		}
	}
	if r.Route.has("deny") && byte(c.Number) < 64 {
		refuse(403)
	}
	if r.Route.has("cors") {
		say("origin", []string{"https://a.example", "https://b.example"}[random.Below(2)])
	}
	if r.Route.has("csrf") {
		site := []string{"same-origin", "cross-site", "none"}[random.Below(3)]
		if say("sec-fetch-site", site); site == "cross-site" && (!r.safe() || r.Route.tunnels()) {
			refuse(403)
		}
	}
	if r.Route.has("keys") {
		if random.OneIn(4) {
			refuse(401)
			if random.OneIn(2) {
				say("x-api-key", wrongKey)
			}
		} else {
			say("x-api-key", rightKey)
		}
	}
	if r.Route.has("request-id") {
		say("x-request-id", requestID(r))
	}
	if r.Route.has("importance") {
		say("x-importance", []string{"low", "normal", "high", "critical"}[random.Below(4)])
	}
	if r.Route.says("canary", "x-canary") && random.OneIn(2) {
		r.Side = []string{canaryTo, canaryFrom}[random.Below(2)]
		say("x-canary", r.Side)
	}
}

func requestID(r *Request) string { return fmt.Sprintf("request-%d", r.ID) }

// says reports whether a feature of the route is configured with a word.
func (r *Route) says(name, word string) bool {
	for _, l := range r.Lines {
		if !l.Off && strings.HasPrefix(l.Text, name+":") && strings.Contains(l.Text, word) {
			return true
		}
	}
	return false
}

// canaryGroup is the upstream of its canary.
func (r *Route) canaryGroup() *Group {
	for _, g := range r.Groups {
		if r.says("canary", "to: "+g.Name+",") {
			return g
		}
	}
	return nil
}

// fields are the further ones that a request has now.
func (w *world) fields(x *exchange) [][2]string {
	all := x.Fields
	if s, ok := w.seats[seatOf{x.client, x.Route}]; ok && x.Route.has("sticky") {
		x.seat = s.at
		all = append(all[:len(all):len(all)], [2]string{"cookie", s.cookie})
	}
	return all
}

// guarded looks whether a request may come to an endpoint by what guards and the canary's rule
// say of it.
func (w *world) guarded(x *exchange, e *Endpoint) {
	if x.refusedBy() != 0 {
		w.violate("guard", "%s got %s, which is to be refused with %d", e.Name, x, x.Refused)
	}
	if x.Side != "" && x.Route.says("canary", "x-canary") && (x.Side == canaryTo) != (e.Group == x.Route.canaryGroup()) {
		w.violate("canary", "%s got %s, which asks for %s", e.Name, x, x.Side)
	}
}

// refusedBy is the status that guards refuse it with, as far as they are configured; 0: they let
// it pass.
func (x *exchange) refusedBy() int {
	if x.Nonsense > 0 || !x.Route.has("deny", "csrf", "keys") {
		return 0
	}
	return x.Refused
}

// secrets writes the files that guards read.
func secrets(folder string) error {
	for name, text := range map[string]string{"keys": "somebody: " + rightKey + "\n", "sticky": stickyKey + "\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
