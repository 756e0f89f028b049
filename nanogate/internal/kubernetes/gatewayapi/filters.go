package gatewayapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	gw "sigs.k8s.io/gateway-api/apis/v1"

	"dyno.example/nanogate/internal/config"
)

// mirrored are the methods whose requests are mirrored.
var mirrored = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}

// act makes what is done with a rule's requests. It says what can't be carried out.
func (t *translation) act(r *anyRoute, from *rule, made *config.Route, at place, o *outcome) (wrong string) {
	for i := range from.filters {
		if wrong = t.filter(r, &from.filters[i], made, at, o); wrong != "" {
			return wrong
		}
	}
	if wrong = timeouts(from.timeouts, made); wrong != "" {
		return wrong
	}
	if made.Redirect != nil { // there is no request to change
		one := config.NewRoute(made.At, made.Name)
		one.Match, one.Redirect, one.Response = made.Match, made.Redirect, made.Response
		*made = *one
		return ""
	}
	t.backends(r, from, made, o)
	return ""
}

// filter carries out one filter.
func (t *translation) filter(r *anyRoute, f *gw.HTTPRouteFilter, made *config.Route, at place, o *outcome) (wrong string) {
	switch {
	case f.Type == gw.HTTPRouteFilterRequestHeaderModifier && f.RequestHeaderModifier != nil:
		made.Request = headers(f.RequestHeaderModifier)
	case f.Type == gw.HTTPRouteFilterResponseHeaderModifier && f.ResponseHeaderModifier != nil:
		made.Response = headers(f.ResponseHeaderModifier)
	case f.Type == gw.HTTPRouteFilterRequestRedirect && f.RequestRedirect != nil:
		made.Redirect, wrong = redirect(f.RequestRedirect, at, made.At)
	case f.Type == gw.HTTPRouteFilterURLRewrite && f.URLRewrite != nil:
		if f.URLRewrite.Hostname != nil {
			made.Host = string(*f.URLRewrite.Hostname)
		}
		if f.URLRewrite.Path != nil {
			var text string
			if text, wrong = modified(f.URLRewrite.Path, at); wrong == "" {
				made.Rewrite, wrong = config.NewTemplate(made.At, text)
			}
		}
	case f.Type == gw.HTTPRouteFilterRequestMirror && f.RequestMirror != nil:
		if made.Mirror != nil {
			return "more than one mirror isn't supported"
		}
		to, no := t.backend(r, &f.RequestMirror.BackendRef)
		if no != nil {
			o.unresolved(no) // and it isn't mirrored, as the API has it
			return ""
		}
		made.Mirror = config.NewMirror(made.At)
		made.Mirror.To = config.Target{At: made.At, Upstream: to, Weight: 1}
		made.Mirror.Share, made.Mirror.Methods = shareOf(f.RequestMirror), mirrored
	default:
		return fmt.Sprintf("the filter %s isn't supported", f.Type)
	}
	return wrong
}

func headers(f *gw.HTTPHeaderFilter) (made config.Headers) {
	for _, name := range f.Remove {
		made.Remove = append(made.Remove, strings.ToLower(name))
	}
	pairs := func(all []gw.HTTPHeader) (fields []config.Field) {
		for _, h := range all {
			if !slices.ContainsFunc(fields, func(f config.Field) bool { return f.Name == string(h.Name) }) {
				fields = append(fields, config.Field{Name: string(h.Name), Value: h.Value})
			}
		}
		return fields
	}
	made.Set, made.Add = pairs(f.Set), pairs(f.Add)
	return made
}

// redirect makes where a client is sent. What isn't named stays; the port is that of a
// scheme that is named, or of the listener, and left out where the scheme says it.
func redirect(f *gw.HTTPRequestRedirectFilter, at place, of config.At) (made *config.Redirect, wrong string) {
	made = &config.Redirect{Status: 302}
	if f.StatusCode != nil {
		made.Status = *f.StatusCode
	}
	scheme, host, path, port := at.scheme, "{hostname}", "{path}", at.port
	if f.Scheme != nil {
		scheme, port = *f.Scheme, 0
	}
	if f.Hostname != nil {
		host = string(*f.Hostname)
	}
	if f.Port != nil {
		port = *f.Port
	}
	if port != 0 && !(scheme == "http" && port == 80) && !(scheme == "https" && port == 443) {
		host += ":" + strconv.Itoa(int(port))
	}
	if f.Path != nil {
		if path, wrong = modified(f.Path, at); wrong != "" {
			return nil, wrong
		}
	}
	made.To, wrong = config.NewTemplate(of, scheme+"://"+host+path+"{query}")
	return made, wrong
}

// modified makes the template of another path.
func modified(m *gw.HTTPPathModifier, at place) (template, wrong string) {
	switch {
	case m.Type == gw.FullPathHTTPPathModifier && m.ReplaceFullPath != nil:
		template = *m.ReplaceFullPath
	case m.Type == gw.PrefixMatchHTTPPathModifier && m.ReplacePrefixMatch != nil:
		template = *m.ReplacePrefixMatch
	default:
		return "", fmt.Sprintf("a path changed by %s isn't supported", m.Type)
	}
	if strings.ContainsAny(template, "{}?#") {
		return "", fmt.Sprintf("a path with any of {}?# isn't supported, such as %q", template)
	}
	if m.Type == gw.FullPathHTTPPathModifier {
		if template == "" {
			template = "/"
		}
		return template, ""
	}
	if !at.prefix {
		return "", "ReplacePrefixMatch goes with a match by PathPrefix only"
	}
	if template = strings.TrimRight(template, "/"); template == "" {
		return "/{rest}", ""
	}
	return template + "{/rest}", ""
}

// timeouts carries out a rule's time limits.
func timeouts(c *gw.HTTPRouteTimeouts, made *config.Route) (wrong string) {
	if c == nil {
		return ""
	}
	read := func(d *gw.Duration) time.Duration {
		if d == nil {
			return 0
		}
		v, err := time.ParseDuration(string(*d))
		if err != nil {
			wrong = fmt.Sprintf("expected a duration, got %q", *d)
		}
		return max(v, 0) // 0: none
	}
	made.Timeout, made.Retry.Timeout = read(c.Request), read(c.BackendRequest)
	return wrong
}

// shareOf is which share of requests is mirrored.
func shareOf(f *gw.HTTPRequestMirrorFilter) float64 {
	share := 1.0
	switch {
	case f.Percent != nil:
		share = float64(*f.Percent) / 100
	case f.Fraction != nil:
		of := int32(100)
		if f.Fraction.Denominator != nil && *f.Fraction.Denominator > 0 {
			of = *f.Fraction.Denominator
		}
		share = float64(f.Fraction.Numerator) / float64(of)
	}
	return min(max(share, 0), 1)
}
