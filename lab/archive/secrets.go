package archive

import (
	"maps"
	"slices"
	"strings"

	"dyno/lab/claim"
	"dyno/lab/load"
)

// Redact hides, in m, credentials, cookies, and the values of headers and
// environment variables whose names say that they are secrets, wherever they occur: in requests, subjects,
// the study's source and the command. What m shares with others is not changed.
func Redact(m *Manifest) {
	var secrets []string
	m.Subjects = slices.Clone(m.Subjects)
	for i := range m.Subjects {
		m.Subjects[i].Env = redactEnv(m.Subjects[i].Env, &secrets)
	}
	m.Plan.Cells = slices.Clone(m.Plan.Cells)
	for i := range m.Plan.Cells {
		c := &m.Plan.Cells[i]
		c.Env = redactEnv(c.Env, &secrets)
		c.Requests = redactRequests(c.Requests, &secrets)
	}
	m.StudySource = without(m.StudySource, secrets)
	m.Claims = redactClaims(m.Claims, secrets)
	m.Command = slices.Clone(m.Command)
	for i := range m.Command {
		m.Command[i] = without(m.Command[i], secrets)
	}
}

// redactClaims hides levels that are secrets where claims name them.
func redactClaims(claims []claim.Claim, secrets []string) []claim.Claim {
	claims = slices.Clone(claims)
	for i := range claims {
		c := &claims[i]
		c.Expressions = slices.Clone(c.Expressions)
		for k := range c.Expressions {
			c.Expressions[k] = without(c.Expressions[k], secrets)
		}
		for _, text := range []*string{&c.Says, &c.Published, &c.Direction, &c.Unmeasurable} {
			*text = without(*text, secrets)
		}
	}
	return claims
}

func redactEnv(env map[string]string, secrets *[]string) map[string]string {
	env = maps.Clone(env)
	for name, value := range env {
		if load.IsSecret(name) && value != "" {
			*secrets = append(*secrets, value)
			env[name] = load.Redacted
		}
	}
	return env
}

func redactRequests(requests []load.Request, secrets *[]string) []load.Request {
	requests = slices.Clone(requests)
	for i := range requests {
		r := &requests[i]
		r.Headers = slices.Clone(r.Headers)
		for k, h := range r.Headers {
			if load.IsSecret(h.Name) && h.Value != "" {
				*secrets = append(*secrets, h.Value)
				r.Headers[k].Value = load.Redacted
			}
		}
		r.Cookies = slices.Clone(r.Cookies)
		for k, c := range r.Cookies {
			*secrets = append(*secrets, c.Value)
			r.Cookies[k].Value = load.Redacted
		}
		if scheme, secret, ok := strings.Cut(strings.TrimSpace(r.Auth), " "); ok {
			*secrets = append(*secrets, strings.TrimSpace(secret))
			r.Auth = scheme + " " + load.Redacted
		}
	}
	return requests
}

// shortest is the length from which a value is looked for in texts. Shorter ones
// are no secrets, and would be found everywhere.
const shortest = 4

// without replaces the secrets in a text, the longest first: one may be a part
// of another.
func without(text string, secrets []string) string {
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, s := range secrets {
		if len(s) < shortest {
			continue
		}
		text = strings.ReplaceAll(text, s, load.Redacted)
	}
	return text
}
