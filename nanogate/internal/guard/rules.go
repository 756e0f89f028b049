package guard

import (
	"log/slog"
	"sync/atomic"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/bounds"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Rules admits requests that meet conditions over the request and what the guards before
// have verified. A condition that can't be evaluated refuses.
type Rules struct {
	all   []config.Rule
	state []ruleState
	route string
	log   *slog.Logger
	told  bounds.ThrottledLog
	Made  time.Time // since when it counts
}

// ruleState is what a rule refuses with, and how often it did.
type ruleState struct {
	refusal         *request.Reply
	unknown         *request.Reply // the same, of one that can't be evaluated
	refused, failed atomic.Uint64
}

// NewRules makes the guard. route is the route's name in the log.
func NewRules(rules []config.Rule, route string, log *slog.Logger) *Rules {
	g := &Rules{all: rules, state: make([]ruleState, len(rules)), route: route, log: log, Made: time.Now()}
	for i := range rules {
		g.state[i].refusal = request.Refuse(rules[i].Status, rules[i].Message, "").For(request.RefusedRule)
		g.state[i].unknown = g.state[i].refusal.For(request.RefusedRuleFailed)
	}
	return g
}

// Check refuses what a rule denies, doesn't allow, or can't be evaluated for.
func (g *Rules) Check(r *request.Request) *request.Reply {
	for i := range g.all {
		rule, state := &g.all[i], &g.state[i]
		holds, err := rule.Rule.Holds(r)
		switch {
		case err != nil:
			state.failed.Add(1)
			g.told.Warn(g.log, clock.Now(), "a rule can't be evaluated for a request, which is refused", "route", g.route, "rule", i+1, "error", cut(err.Error()))
			return state.unknown
		case holds == rule.Deny:
			state.refused.Add(1)
			return state.refusal
		}
	}
	return nil
}

// cut bounds what a message may repeat of a request: a key, say.
func cut(text string) string { return text[:min(len(text), 200)] }

// RuleCounts are of a rule.
type RuleCounts struct {
	Refused uint64 // requests that it refused
	Failed  uint64 // requests that were refused as it couldn't be evaluated for them
}

// Counts returns those of all rules, in their order.
func (g *Rules) Counts() (all []RuleCounts) {
	for i := range g.state {
		all = append(all, RuleCounts{g.state[i].refused.Load(), g.state[i].failed.Load()})
	}
	return all
}
