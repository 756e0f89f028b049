package nano

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"dyno/internal/http1"
)

// pattern is a parsed pattern: where its path lies in the tree.
type pattern struct {
	host   string // lower case; without its parameter if hostParam
	parts  []part
	params []string // names in the order their values are found; the host's first
	tail   bool     // the last part matches any rest
	// hostParam: the first label of the host is a parameter.
	hostParam bool
}

// part is one step down the tree: static bytes in canonical form, or, with no
// bytes, a parameter.
type part struct{ static string }

// cutMethod splits "METHOD HOST/PATH" as ServeMux does; the method may be left
// out.
func cutMethod(s string) (method, rest string) {
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return "", s
	}
	return s[:i], strings.TrimLeft(s[i+1:], " \t")
}

// cutHost splits "HOST/PATH"; the host may be left out.
func cutHost(s string) (host, path string) {
	i := strings.IndexByte(s, '/')
	if i < 0 {
		return "", s
	}
	return s[:i], s[i:]
}

// parsePattern reads a pattern in the syntax of net/http's ServeMux, the
// method already cut off.
func parsePattern(method, host, path string) (pattern, error) {
	var p pattern
	if method != "" && !http1.ValidToken(method) {
		return p, fmt.Errorf("%q is not a method", method)
	}
	if err := p.addHost(host); err != nil {
		return p, err
	}
	if err := p.addPath(path); err != nil {
		return p, err
	}
	if len(p.params) > maxParams {
		return p, fmt.Errorf("it has %d parameters; %d are possible", len(p.params), maxParams)
	}
	return p, nil
}

func (p *pattern) addHost(host string) error {
	p.host = strings.ToLower(host)
	if label, rest, ok := strings.Cut(host, "."); ok && strings.HasPrefix(label, "{") && strings.HasSuffix(label, "}") {
		if err := p.addParam(label[1 : len(label)-1]); err != nil {
			return err
		}
		p.host, p.hostParam = strings.ToLower(rest), true
	}
	if strings.ContainsAny(p.host, "{}") {
		return errors.New("only the whole first label of a host can be a parameter, as in {tenant}.example.com")
	}
	if len(host) > maxHost {
		return fmt.Errorf("its host has %d bytes; names end at %d", len(host), maxHost)
	}
	if strings.ContainsFunc(p.host, notInHost) || string(hostOf([]byte(p.host))) != p.host || p.hostParam && p.host == "" {
		return fmt.Errorf("%q is not the ASCII name of a host, without a port", host)
	}
	return nil
}

// notInHost reports what can't be part of a host's name or address.
// Internationalised names travel in their ASCII form.
func notInHost(c rune) bool {
	return c <= ' ' || c >= 0x7f || strings.ContainsRune(`%?#@/\<>"^|`+"`", c)
}

func (p *pattern) addPath(path string) error {
	if !strings.HasPrefix(path, "/") {
		return errors.New("its path must begin with a slash")
	}
	var static []byte
	for rest := path; rest != ""; {
		segment, after, more := strings.Cut(rest[1:], "/")
		static = append(static, '/')
		last := !more
		switch {
		case segment == "" && last:
			p.tail = true
		case segment == "" || segment == "." || segment == "..":
			return errors.New("a path with //, . or .. segments never matches: requests are redirected to the clean path")
		case segment == "{$}":
			if !last {
				return errors.New("{$} must be at the end")
			}
		case segment[0] == '{':
			name, err := cutName(segment, last)
			if err != nil {
				return err
			}
			if err := p.addParam(name); err != nil {
				return err
			}
			if p.tail = strings.HasSuffix(segment, "...}"); !p.tail {
				p.parts, static = append(p.parts, part{string(static)}, part{}), nil
			}
		default:
			var err error
			if static, err = appendLiteral(static, segment); err != nil {
				return err
			}
		}
		if rest = ""; more {
			rest = "/" + after
		}
	}
	if len(static) > 0 {
		p.parts = append(p.parts, part{string(static)})
	}
	return nil
}

// cutName returns the name in {name} or {name...}.
func cutName(segment string, last bool) (string, error) {
	if !strings.HasSuffix(segment, "}") || strings.Count(segment, "{") > 1 || strings.Count(segment, "}") > 1 {
		return "", fmt.Errorf("%q: a parameter must be a whole segment, as in /{name}/", segment)
	}
	name, tail := strings.CutSuffix(segment[1:len(segment)-1], "...")
	if tail && !last {
		return "", fmt.Errorf("%s must be at the end", segment)
	}
	return name, nil
}

func (p *pattern) addParam(name string) error {
	for i, c := range name {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return fmt.Errorf("{%s}: a parameter's name must be a Go identifier", name)
		}
	}
	if name == "" {
		return errors.New("a parameter has no name")
	}
	for _, other := range p.params {
		if other == name {
			return fmt.Errorf("the parameter {%s} comes twice", name)
		}
	}
	p.params = append(p.params, name)
	return nil
}

// appendLiteral adds a static segment in canonical form.
func appendLiteral(dst []byte, segment string) ([]byte, error) {
	if strings.ContainsAny(segment, "{}") {
		return nil, fmt.Errorf("%q: a parameter must be a whole segment, as in /{name}/; write a brace as %%7B or %%7D", segment)
	}
	from := len(dst)
	dst, ok := appendCanonical(dst, []byte(segment))
	if !ok {
		return nil, fmt.Errorf("%q holds a %% that no two hexadecimal digits follow", segment)
	}
	if s := string(dst[from:]); s == "." || s == ".." {
		return nil, errors.New("a path with //, . or .. segments never matches: requests are redirected to the clean path")
	}
	return dst, nil
}
