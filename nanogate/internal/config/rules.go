package config

import (
	"errors"
	"slices"

	"dyno.example/nanogate/internal/driver"
	"dyno.example/nanogate/internal/rule"
)

// Rule is a condition that a route's requests must meet, or must not.
type Rule struct {
	At      At
	Text    string
	Deny    bool // it must not hold; else it must
	Status  int  // of the refusal
	Message string
	Rule    *rule.Rule // it, checked
}

// mostRules bounds how many a route has.
const mostRules = 32

var ruleFields = []known[Rule]{
	// What must be true. A rule has exactly one of `require` and `deny`.
	{"require", func(r *Rule, p place) { r.At, r.Text = p.At(), p.expression() }},
	// What must not be true.
	{"deny", func(r *Rule, p place) { r.At, r.Text, r.Deny = p.At(), p.expression(), true }},
	// Of the response when it is refused.
	{"status", func(r *Rule, p place) { r.Status = p.status(400, 599) }},
	// What that response says.
	{"message", func(r *Rule, p place) { r.Message = p.text() }},
}

// readRules reads a route's rules, or one. They are checked when it is known what the route's
// guards find out.
func readRules(p place) (rules []Rule) {
	items := []place{p} // one by itself
	if !p.IsMapping() {
		items = p.list()
	}
	if len(items) > mostRules {
		p.Problem("join some by && or ||", "expected at most %d rules, got %d", mostRules, len(items))
		return nil
	}
	for _, item := range items {
		r := Rule{At: item.At(), Status: 403, Message: "the rules of this route don't allow this"}
		if !item.IsMapping() {
			r.Text = item.expression()
		} else {
			found := readFields(item, &r, ruleFields)
			_, require := found["require"]
			if _, deny := found["deny"]; require == deny {
				item.Problem(`such as {require: "request.method == 'GET'"}`, "a rule has exactly one of require and deny")
			}
		}
		if r.Text != "" {
			rules = append(rules, r)
		}
	}
	return rules
}

// expression reads a text that may have several lines.
func (p place) expression() string {
	text, ok := p.Scalar()
	if !ok || text == "" {
		p.Problem("", "expected an expression, got %s", p.Describe())
	}
	return text
}

// checkRules checks the rules of a route, whose guards are known.
func (r *Route) checkRules(in *input) {
	if len(r.Rules) == 0 {
		return
	}
	scope := rule.Scope{Guards: r.guards, Params: r.Match.Path.Params(), Strip: r.Strip}
	for i := range r.Rules {
		one := &r.Rules[i]
		var err error
		one.Rule, err = in.rule(one.Text, scope)
		switch {
		case errors.Is(err, rule.ErrMissing):
			in.Problems = append(in.Problems, one.At.Problem("import "+driver.Import(rule.Language), "%v", err))
		case err != nil:
			e := &rule.Error{Line: 1, Column: 1, Message: err.Error()}
			errors.As(err, &e)
			in.Problems = append(in.Problems, one.At.Problem(e.Hint, "%d:%d of the expression: %s", e.Line, e.Column, e.Message))
		}
	}
}

// rule checks an expression, once for all routes that have the same and know the same.
func (in *input) rule(text string, scope rule.Scope) (*rule.Rule, error) {
	same := func(known *rule.Rule) bool {
		return slices.Equal(known.Scope.Guards, scope.Guards) && slices.Equal(known.Scope.Params, scope.Params) && slices.Equal(known.Scope.Strip, scope.Strip)
	}
	if i := slices.IndexFunc(in.rules[text], same); i >= 0 {
		return in.rules[text][i], nil
	}
	r, err := rule.Compile(text, scope)
	if err != nil {
		return nil, err
	}
	if in.rules == nil {
		in.rules = map[string][]*rule.Rule{}
	}
	in.rules[text] = append(in.rules[text], r)
	return r, nil
}
