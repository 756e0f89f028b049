package middleware

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dyno.example/nano"
)

// Rewriting changes a request's method or path before it is routed: see
// [nano.Config].Rewrite.
type Rewriting func(t *nano.Target)

// Rewrites does one rewriting after another.
func Rewrites(all ...Rewriting) func(t *nano.Target) {
	return func(t *nano.Target) {
		for _, r := range all {
			r(t)
		}
	}
}

// RewriteRule rewrites what matches From to To. In From "*" matches any text; the texts that
// its stars match are $1, $2 … in To.
type RewriteRule struct{ From, To string }

// Rewrite replaces paths without a redirect: the first rule that matches the full path
// decides. Rules are compared with paths as they were sent, percent-encoded.
//
//	nano.Config{Rewrite: middleware.Rewrites(middleware.Rewrite(
//		middleware.RewriteRule{From: "/api/v1/*", To: "/v1/$1"},
//	))}
func Rewrite(rules ...RewriteRule) Rewriting {
	type compiled struct {
		from *regexp.Regexp
		to   string
	}
	var all []compiled
	for _, r := range rules {
		if !strings.HasPrefix(r.From, "/") || !strings.HasPrefix(r.To, "/") {
			panic(fmt.Sprintf("middleware: the rule from %q to %q must have paths, which begin with /", r.From, r.To))
		}
		parts := strings.Split(r.From, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		from := regexp.MustCompile("^" + strings.Join(parts, "(.*)") + "$")
		for i := len(parts); i <= 9; i++ {
			if strings.Contains(r.To, fmt.Sprintf("$%d", i)) {
				panic(fmt.Sprintf("middleware: %q has $%d, but %q has %d stars", r.To, i, r.From, len(parts)-1))
			}
		}
		// "$1x" would be read as a name.
		all = append(all, compiled{from, regexp.MustCompile(`\$(\d)`).ReplaceAllString(r.To, "$${$1}")})
	}
	return func(t *nano.Target) {
		path := t.Path()
		for i := range all {
			if m := all[i].from.FindSubmatchIndex(path); m != nil {
				t.SetPath(string(all[i].from.Expand(nil, []byte(all[i].to), path, m)))
				return
			}
		}
	}
}

// MethodOverrideConfig is how [MethodOverride] works.
type MethodOverrideConfig struct {
	// Header is the field that names the method; default "X-HTTP-Method-Override".
	Header string
	// Query is a parameter of the query that may name it instead; none by default.
	Query string
	// Methods are the methods allowed; default PUT, PATCH and DELETE.
	Methods []string
}

// MethodOverride lets clients that can only send POST, such as forms of browsers, name
// another method in a header field. Only POST is changed. What guards POST, against
// forged requests for instance, must guard those methods as well.
func MethodOverride(config MethodOverrideConfig) Rewriting {
	if config.Header == "" {
		config.Header = "X-HTTP-Method-Override"
	}
	if config.Methods == nil {
		config.Methods = []string{"PUT", "PATCH", "DELETE"}
	}
	for _, m := range config.Methods {
		if m == "HEAD" || m == "CONNECT" || m == "" || strings.ToUpper(m) != m {
			panic(fmt.Sprintf("middleware: MethodOverrideConfig.Methods has %q, which a POST can't become", m))
		}
	}
	return func(t *nano.Target) {
		if string(t.Method()) != "POST" {
			return
		}
		wanted := strings.ToUpper(t.Header(config.Header).String())
		if wanted == "" && config.Query != "" {
			wanted = queryValue(t.RawQuery().String(), config.Query)
		}
		if slices.Contains(config.Methods, wanted) {
			t.SetMethod(wanted)
		}
	}
}

// queryValue is the value of a parameter that needs no decoding, in upper case.
func queryValue(query, name string) string {
	for pair := range strings.SplitSeq(query, "&") {
		if key, value, ok := strings.Cut(pair, "="); ok && key == name {
			return strings.ToUpper(value)
		}
	}
	return ""
}
