package snapshot

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/wasm"
)

// plugins makes the configuration's plug-ins, or takes over those before, and offers them
// to routes beside the middleware that is compiled in. One that can't be made is offered
// all the same: routes that use it are broken, and not without it.
func (m *making) plugins(c *config.Config) {
	m.s.offers, m.s.plugged = m.b.Middleware, c.PluginsText()
	for _, rules := range c.Plugins {
		if problem := nameTaken(rules, m.b.Middleware); problem != nil {
			m.s.Problems = append(m.s.Problems, *problem)
			continue
		}
		p, err := m.plugin(rules)
		if err != nil {
			m.s.Problems = append(m.s.Problems, rules.At.Problem("", "the plug-in %s can't be used: %v", rules.Name, err))
		} else {
			m.s.Plugins = append(m.s.Plugins, p)
		}
		m.s.offers = append(m.s.offers[:len(m.s.offers):len(m.s.offers)], offerOf(rules, p))
	}
}

// plugin makes a plug-in, or takes over the one before.
func (m *making) plugin(rules *config.Plugin) (*wasm.Plugin, error) {
	var before *wasm.Plugin
	if m.before != nil {
		if i := slices.IndexFunc(m.before.Plugins, func(p *wasm.Plugin) bool { return p.Name == rules.Name }); i >= 0 {
			before = m.before.Plugins[i]
		}
	}
	if before != nil && before.Text() == rules.Text {
		before.Look()
		return before, nil
	}
	return wasm.Open(rules, before, m.b.Codes, cmp.Or(m.b.Log, slog.Default()))
}

// nameTaken says that a plug-in has the name of a middleware that is compiled in; nil if
// it hasn't.
func nameTaken(rules *config.Plugin, offers middleware.Offers) *config.Problem {
	if offers.Find(rules.Name) == nil {
		return nil
	}
	problem := rules.At.Problem("give it another name", "the plug-in %s has the name of a middleware that is compiled into this program", rules.Name)
	return &problem
}

// offerOf is a plug-in as routes ask for it. p is nil if it couldn't be made.
func offerOf(rules *config.Plugin, p *wasm.Plugin) middleware.Offer {
	return middleware.Offer{Name: rules.Name, Counts: &middleware.Counts{}, Make: func(settings []byte) (middleware.Middleware, error) {
		switch {
		case p == nil:
			return middleware.Middleware{}, fmt.Errorf("see plugins.%s", rules.Name)
		case settings != nil:
			return middleware.Middleware{}, fmt.Errorf("what a plug-in in WebAssembly is told stands at plugins.%s.config", rules.Name)
		}
		return p.Middleware(), nil
	}}
}

// checkPlugins makes the plug-ins of a configuration and lets go of them. It returns what
// routes may ask for.
func checkPlugins(c *config.Config, offers middleware.Offers) (all middleware.Offers, problems config.Problems) {
	all = offers[:len(offers):len(offers)]
	for _, rules := range c.Plugins {
		if problem := nameTaken(rules, offers); problem != nil {
			problems = append(problems, *problem)
			continue
		}
		p, err := wasm.Check(rules)
		if err != nil {
			problems = append(problems, rules.At.Problem("", "the plug-in %s can't be used: %v", rules.Name, err))
		}
		all = append(all, offerOf(rules, p))
	}
	return all, problems
}

// pluginsOf is what the configuration says of the plug-ins that a route uses.
func pluginsOf(c *config.Config, r *config.Route) (text string) {
	if len(c.Plugins) == 0 {
		return ""
	}
	for _, use := range slices.Concat(c.Use, r.Use) {
		for _, rules := range c.Plugins {
			if rules.Name == use.Name {
				text += rules.Name + " " + rules.Text + "\n"
			}
		}
	}
	return text
}
