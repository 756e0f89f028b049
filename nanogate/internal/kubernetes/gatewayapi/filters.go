package gatewayapi

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	gw "sigs.k8s.io/gateway-api/apis/v1"
)

type redirectDoc struct {
	To     string `json:"to"`
	Status int    `json:"status"`
}

type headersDoc struct {
	Remove []string          `json:"remove,omitempty"`
	Set    map[string]string `json:"set,omitempty"`
	Add    map[string]string `json:"add,omitempty"`
}

type mirrorDoc struct {
	To      string   `json:"to"`
	Share   string   `json:"share"`
	Methods []string `json:"methods"`
}

// mirrored are the methods whose requests are mirrored.
var mirrored = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}

// act makes what is done with a rule's requests. It says what can't be carried out.
func (t *translation) act(r *anyRoute, from *rule, made *routeDoc, at place, o *outcome) (wrong string) {
	for i := range from.filters {
		if wrong = t.filter(r, &from.filters[i], made, at, o); wrong != "" {
			return wrong
		}
	}
	if wrong = timeouts(from.timeouts, made); wrong != "" {
		return wrong
	}
	if made.Redirect != nil { // there is no request to change
		*made = routeDoc{Name: made.Name, Match: made.Match, Redirect: made.Redirect, Response: made.Response}
		return ""
	}
	t.backends(r, from, made, o)
	return ""
}

// filter carries out one filter.
func (t *translation) filter(r *anyRoute, f *gw.HTTPRouteFilter, made *routeDoc, at place, o *outcome) (wrong string) {
	switch {
	case f.Type == gw.HTTPRouteFilterRequestHeaderModifier && f.RequestHeaderModifier != nil:
		made.Request = headers(f.RequestHeaderModifier)
	case f.Type == gw.HTTPRouteFilterResponseHeaderModifier && f.ResponseHeaderModifier != nil:
		made.Response = headers(f.ResponseHeaderModifier)
	case f.Type == gw.HTTPRouteFilterRequestRedirect && f.RequestRedirect != nil:
		made.Redirect, wrong = redirect(f.RequestRedirect, at)
	case f.Type == gw.HTTPRouteFilterURLRewrite && f.URLRewrite != nil:
		if f.URLRewrite.Hostname != nil {
			made.Host = string(*f.URLRewrite.Hostname)
		}
		if f.URLRewrite.Path != nil {
			made.Rewrite, wrong = modified(f.URLRewrite.Path, at)
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
		made.Mirror = &mirrorDoc{to, shareOf(f.RequestMirror), mirrored}
	default:
		return fmt.Sprintf("the filter %s isn't supported", f.Type)
	}
	return wrong
}

func headers(f *gw.HTTPHeaderFilter) *headersDoc {
	made := &headersDoc{Remove: f.Remove}
	pairs := func(all []gw.HTTPHeader) map[string]string {
		if len(all) == 0 {
			return nil
		}
		m := map[string]string{}
		for _, h := range all {
			if _, twice := m[string(h.Name)]; !twice {
				m[string(h.Name)] = h.Value
			}
		}
		return m
	}
	made.Set, made.Add = pairs(f.Set), pairs(f.Add)
	return made
}

// redirect makes where a client is sent. What isn't named stays; the port is that of a
// scheme that is named, or of the listener, and left out where the scheme says it.
func redirect(f *gw.HTTPRequestRedirectFilter, at place) (*redirectDoc, string) {
	made := &redirectDoc{Status: 302}
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
		var wrong string
		if path, wrong = modified(f.Path, at); wrong != "" {
			return nil, wrong
		}
	}
	made.To = scheme + "://" + host + path + "{query}"
	return made, ""
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
func timeouts(c *gw.HTTPRouteTimeouts, made *routeDoc) (wrong string) {
	if c == nil {
		return ""
	}
	read := func(d *gw.Duration) string {
		if d == nil {
			return ""
		}
		v, err := time.ParseDuration(string(*d))
		if err != nil {
			wrong = fmt.Sprintf("expected a duration, got %q", *d)
		}
		if v <= 0 { // none
			return ""
		}
		return v.String()
	}
	made.Timeout = read(c.Request)
	if each := read(c.BackendRequest); each != "" {
		made.Retry = &retryDoc{each}
	}
	return wrong
}

// shareOf is which share of requests is mirrored.
func shareOf(f *gw.HTTPRequestMirrorFilter) string {
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
	return part(share)
}

// part is a share as a configuration has it.
func part(share float64) string {
	return strconv.FormatFloat(min(max(share, 0), 1), 'f', 6, 64)
}
