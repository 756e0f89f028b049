package router

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"dyno.example/nano/wire/http1"
)

// Pattern is a parsed pattern: where its path lies in the tree.
type Pattern struct {
	Params []string // names in the order their values are found; the host's first
	Tail   bool     // the last part matches any rest

	host  string // lower case; without its parameter if hostParam
	parts []part
	// hostParam: the first label of the host is a parameter.
	hostParam bool
	shorter   [][]part // the parts without one optional parameter, without two, …

	hostText, pathText string // as given to Parse
}

// part is one step down the tree: static bytes in canonical form, or a segment
// with constraints, or several parameters, or, with neither, a parameter.
type part struct {
	static  string
	segment *segment
}

// CutMethod splits "METHOD HOST/PATH" as ServeMux does; the method may be left
// out.
func CutMethod(s string) (method, rest string) {
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return "", s
	}
	return s[:i], strings.TrimLeft(s[i+1:], " \t")
}

// CutHost splits "HOST/PATH"; the host may be left out.
func CutHost(s string) (host, path string) {
	i := strings.IndexByte(s, '/')
	if i < 0 {
		return "", s
	}
	return s[:i], s[i:]
}

// Parse reads a pattern, the method already cut off: in the syntax of net/http's
// ServeMux, with constraints, optional parameters, and text beside parameters, all
// of which ServeMux refuses.
func Parse(method, host, path string) (*Pattern, error) {
	p := &Pattern{hostText: host, pathText: path}
	if method != "" && !http1.ValidToken(method) {
		return nil, fmt.Errorf("%q is not a method", method)
	}
	if err := p.addHost(host); err != nil {
		return nil, err
	}
	if err := p.addPath(path); err != nil {
		return nil, err
	}
	if len(p.Params) > MaxParams {
		return nil, fmt.Errorf("it has %d parameters; %d are possible", len(p.Params), MaxParams)
	}
	return p, nil
}

func (p *Pattern) addHost(host string) error {
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
	if method, _, ok := strings.Cut(host, " "); ok && http1.ValidToken(method) && strings.ToUpper(method) == method {
		return fmt.Errorf("it begins with the method %s, which the function already gives: only the host and the path are written here", method)
	}
	if strings.ContainsFunc(p.host, notInHost) || string(hostOf([]byte(p.host))) != p.host || p.hostParam && p.host == "" {
		return fmt.Errorf("%q is not a host name in ASCII without a port", host)
	}
	return nil
}

// notInHost reports what can't be part of a host's name or address.
// Internationalised names travel in their ASCII form.
func notInHost(c rune) bool {
	return c <= ' ' || c >= 0x7f || strings.ContainsRune(`%?#@/\<>"^|`+"`", c)
}

func (p *Pattern) addPath(path string) error {
	if !strings.HasPrefix(path, "/") {
		return errors.New("its path must begin with a slash")
	}
	var static []byte
	for more := true; more; {
		var text string
		text, path, more = cutSegment(path[1:])
		static = append(static, '/')
		if strings.ContainsAny(text, "{}") && text != "{$}" {
			var err error
			if static, err = p.addSegment(static, text, !more); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
			continue
		}
		if p.shorter != nil {
			return errOptional
		}
		switch {
		case text == "" && !more:
			p.Tail = true
		case text == "" || text == "." || text == "..":
			return errUnclean
		case text == "{$}" && more:
			return errors.New("{$} must be at the end")
		case text == "{$}":
		default:
			var err error
			from := len(static)
			if static, err = appendLiteral(static, text, true); err != nil {
				return err
			}
			if isDots(static[from:]) {
				return errUnclean
			}
		}
	}
	if len(static) > 0 {
		p.parts = append(p.parts, part{static: string(static)})
	}
	return nil
}

var (
	errUnclean  = errors.New("a path with //, . or .. segments never matches: requests are redirected to the clean path")
	errOptional = errors.New("an optional parameter must be at the end; only optional ones may follow it")
)

// addSegment adds a segment with parameters behind static, which ends in a slash,
// and returns what of static is still to be added.
func (p *Pattern) addSegment(static []byte, text string, last bool) ([]byte, error) {
	s, err := p.parseSegment(text)
	switch {
	case err != nil:
		return nil, err
	case s.rest && !last:
		return nil, errors.New("the rest of a path must be at the end")
	case p.shorter != nil && !s.optional:
		return nil, errOptional
	case s.rest:
		p.Tail = true
		return static, nil
	}
	if s.optional {
		without := slices.Clone(p.parts)
		if upTo := static[:len(static)-1]; len(upTo) > 0 {
			without = append(without, part{static: string(upTo)})
		} else if len(without) == 0 {
			without = append(without, part{static: "/"})
		}
		p.shorter = append(p.shorter, without)
	}
	p.parts = append(p.parts, part{static: string(static)})
	if s.plain() {
		s = nil
	}
	p.parts = append(p.parts, part{segment: s})
	return nil, nil
}

// cutSegment returns the bytes up to a slash that is in no braces, and the rest
// from that slash on.
func cutSegment(path string) (text, rest string, more bool) {
	depth := 0
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case '\\':
			if depth > 0 {
				i++
			}
		case '{':
			depth++
		case '}':
			depth--
		case '/':
			if depth <= 0 {
				return path[:i], path[i:], true
			}
		}
	}
	return path, "", false
}

// parseSegment reads a segment that holds braces.
func (p *Pattern) parseSegment(text string) (*segment, error) {
	s := &segment{}
	whole := text
	for {
		open := strings.IndexAny(text, "{}")
		if open < 0 {
			break
		}
		if text[open] == '}' {
			return nil, errors.New("a brace closes nothing; the character is written %7D")
		}
		if open == 0 && len(s.checks) > 0 {
			return nil, errors.New("nothing stands between two parameters that tells where the first one ends")
		}
		inside, rest, ok := cutBraces(text[open:])
		if !ok {
			return nil, errors.New("a brace isn't closed; the character is written %7B")
		}
		if err := s.addText(text[:open]); err != nil {
			return nil, err
		}
		if err := p.addParameter(s, inside, len(inside)+2 == len(whole)); err != nil {
			return nil, err
		}
		text = rest
	}
	return s, s.addText(text)
}

// addText adds the literal text before, between or after parameters.
func (s *segment) addText(text string) error {
	if text == "" {
		s.texts = append(s.texts, "")
		return nil
	}
	static, err := appendLiteral(nil, text, len(s.checks) == 0)
	s.texts, s.shape = append(s.texts, string(static)), s.shape+string(static)
	return err
}

// cutBraces splits "{inside}rest". Braces of a regular expression are inside.
func cutBraces(text string) (inside, rest string, ok bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[1:i], text[i+1:], true
			}
		}
	}
	return "", "", false
}

// addParameter adds what stands in braces: name, name?, name:constraint,
// name?:constraint, or name... for the rest, the latter and optional ones only
// where they are the whole segment.
func (p *Pattern) addParameter(s *segment, inside string, whole bool) (err error) {
	name, text, constrained := strings.Cut(inside, ":")
	name, s.rest = strings.CutSuffix(name, "...")
	name, s.optional = strings.CutSuffix(name, "?")
	switch {
	case s.rest && (!whole || s.optional || constrained):
		return errors.New("the rest of a path is the whole last segment, without a constraint, as in /{name...}")
	case s.optional && !whole:
		return errors.New("an optional parameter is a whole segment, as in /{name?}")
	}
	if err := p.addParam(name); err != nil {
		return err
	}
	var check *constraint
	if s.shape += "{"; constrained {
		if check, err = parseConstraint(text); err != nil {
			return err
		}
		s.shape += ":" + text
	}
	s.shape += "}"
	s.checks = append(s.checks, check)
	return nil
}

func (p *Pattern) addParam(name string) error {
	if name == "" {
		return errors.New("a parameter has no name")
	}
	if !isName(name) {
		return fmt.Errorf("{%s}: a parameter's name must be a Go identifier", name)
	}
	for _, other := range p.Params {
		if other == name {
			return fmt.Errorf("the parameter {%s} comes twice", name)
		}
	}
	p.Params = append(p.Params, name)
	return nil
}

// appendLiteral adds static text of a segment in canonical form; start: it begins
// the segment.
func appendLiteral(dst []byte, text string, start bool) ([]byte, error) {
	if err := otherSyntax(text, start); err != nil {
		return nil, err
	}
	dst, ok := appendCanonical(dst, []byte(text))
	if !ok {
		return nil, fmt.Errorf("%q holds a %% that no two hexadecimal digits follow", text)
	}
	return dst, nil
}

// otherSyntax refuses what is a parameter elsewhere. It would never match as the
// letters it is.
func otherSyntax(text string, start bool) error {
	name, _, _ := strings.Cut(strings.TrimRight(text[1:], "?*+"), "<")
	switch {
	case start && text[0] == ':' && isName(name):
		return fmt.Errorf("%q: a parameter is written {%s} here; the character \":\" at the start of a segment is written %%3A", text, name)
	case start && text[0] == '*' && (name == "" || isName(name)):
		return fmt.Errorf("%q: the rest of a path is written {%s...} here; the character \"*\" is written %%2A", text, cmp.Or(name, "path"))
	case strings.Contains(text, "*"):
		return fmt.Errorf("%q: the rest of a path is a segment of its own, {path...}; the character \"*\" is written %%2A", text)
	case start && text[0] == '<' && strings.HasSuffix(text, ">"):
		return fmt.Errorf("%q: a parameter is written {name} or {name:constraint} here; the character \"<\" is written %%3C", text)
	case strings.Contains(text, "?"):
		return fmt.Errorf("%q: a pattern has no query, which is the handler's to read (Ctx.Query, Bind); the character \"?\" is written %%3F", text)
	case strings.Contains(text, "#"):
		return fmt.Errorf("%q: clients don't send fragments; the character \"#\" is written %%23", text)
	}
	return nil
}

// isName reports whether s can be a parameter's name: a Go identifier.
func isName(s string) bool {
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}
