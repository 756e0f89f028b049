package loadcmd

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/template"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// requestFlags are the flags of dyno load that say what is asked, beyond one
// method, path and body.
type requestFlags struct {
	file    string
	targets string
	feeds   []string
	auth    string
	bearer  string
	cookies []string
	jar     bool
	expect  []string
}

func (f *requestFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "request", "", "send the requests in this YAML file, written as under requests: in a study")
	flags.StringVar(&f.targets, "targets", "", "send the requests in this file (- for standard input): URLs, or vegeta's http or json format; with whole URLs it takes no other")
	flags.StringArrayVar(&f.feeds, "feed", nil, "file of rows for {{feed.NAME.COLUMN}}, as users=users.csv; add ,random or ,stop (the load ends with the last row)")
	flags.StringVar(&f.auth, "auth", "", "basic credentials to send, as USER:PASSWORD or env:NAME")
	flags.StringVar(&f.bearer, "bearer", "", "bearer token to send: TOKEN, @FILE or env:NAME")
	flags.StringArrayVar(&f.cookies, "cookie", nil, "cookie to send, as NAME=VALUE (repeatable)")
	flags.BoolVar(&f.jar, "cookies", false, "send back the cookies that responses set, on each connection its own")
	flags.StringArrayVar(&f.expect, "expect", nil, "what responses are held to (repeatable): 'status 2xx', 'header content-type contains json', 'body contains hello', 'json $.ok == true'")
}

// RequestHelp explains templates and expectations.
func RequestHelp() string {
	return `Path, header values, body, credentials and cookies are templates. In each
new request, {{int 1 1000}} becomes a number, {{string 12}} and {{hex 16}} random
text, {{uuid}} a UUID, {{choice "a" "b"}} one of the texts, {{seq}} 0, 1, 2 …,
{{timestamp}} the Unix time (or {{timestamp unix-ms}}, {{timestamp rfc3339}}), and
{{feed.users.id}} a column of the feed --feed users=users.csv, from the same row
throughout one request. {{env NAME}} is read once. {{json X}} and {{url X}} quote
what comes from a feed, a choice or the environment; {{"{{"}} is two braces.

--expect holds each response to a line such as: status 200 3xx; header NAME; header
NAME contains TEXT; body == TEXT; body matches REGEXP; body size < 1000; body
sha256 SUM; json $.items[0].id exists; json $.items.length() > 0. What fails counts
under errors as expect, and a few failed requests are kept whole.`
}

// apply puts the flags' requests into the spec, which holds the one that the
// URL and the other flags ask for.
func (f *requestFlags) apply(spec *load.Spec, single *Flags) error {
	feeds, err := parseFeeds(f.feeds)
	if err != nil {
		return err
	}
	spec.Feeds = feeds
	if f.file != "" || f.targets != "" {
		if err := f.exclusive(spec, single); err != nil {
			return err
		}
	}
	headers := spec.Requests[0].Headers
	switch {
	case f.file != "":
		spec.Requests, spec.Feeds, err = study.OpenRequests(f.file, feeds)
	case f.targets != "":
		spec.Target, spec.Requests, err = readTargets(f.targets, spec.Target)
	default:
		headers = nil
	}
	if err != nil {
		return err
	}
	for i := range spec.Requests {
		r := &spec.Requests[i]
		r.Headers = append(r.Headers, headers...)
		if err := f.identify(r); err != nil {
			return err
		}
		r.Jar = r.Jar || f.jar
		r.Expect = append(r.Expect, f.expect...)
	}
	return nil
}

// exclusive refuses flags that say the same thing twice.
func (f *requestFlags) exclusive(spec *load.Spec, single *Flags) error {
	flag := "--request"
	if f.targets != "" {
		flag = "--targets"
	}
	switch {
	case f.file != "" && f.targets != "":
		return i18n.Errorf("loadcmd.request-and-targets", "--request and --targets both say what to send; give one of them")
	case single.method != "" || single.body != "":
		return i18n.Errorf("loadcmd.request-says-it-all", "%s says what to send; --method and --body go without it", flag)
	case spec.Requests[0].Path != "/":
		return i18n.Errorf("loadcmd.url-must-end-at-port", "%s has the paths; end the URL after the port, without %s", flag, spec.Requests[0].Path)
	}
	return nil
}

// identify adds credentials and cookies to a request that has none of its own.
func (f *requestFlags) identify(r *request.Request) error {
	auth, err := f.credentials()
	if err != nil {
		return err
	}
	if r.Auth == "" {
		r.Auth = auth
	}
	for _, c := range f.cookies {
		name, value, ok := strings.Cut(c, "=")
		if !ok {
			return i18n.Errorf("loadcmd.cookie-form", "--cookie has no equals sign; write it as NAME=VALUE")
		}
		r.Cookies = append(r.Cookies, request.Header{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)})
	}
	return nil
}

// credentials returns what --auth or --bearer say, as a request has it. Secrets
// from the environment are not copied.
func (f *requestFlags) credentials() (string, error) {
	switch {
	case f.auth != "" && f.bearer != "":
		return "", i18n.Errorf("loadcmd.auth-given-twice", "--auth and --bearer are two ways to authenticate; give one of them")
	case strings.HasPrefix(f.auth, "env:"):
		value, ok := os.LookupEnv(f.auth[len("env:"):])
		if !ok || !strings.Contains(value, ":") {
			return "", i18n.Errorf("loadcmd.auth-variable-unset", "--auth %s: the environment variable must hold USER:PASSWORD", f.auth)
		}
		return "basic " + template.Escape(value), nil
	case f.auth != "" && !strings.Contains(f.auth, ":"):
		return "", i18n.Errorf("loadcmd.auth-form", "--auth has no colon; write it as USER:PASSWORD")
	case f.auth != "":
		return "basic " + f.auth, nil
	case strings.HasPrefix(f.bearer, "env:"):
		return "bearer {{env " + f.bearer[len("env:"):] + "}}", nil
	case strings.HasPrefix(f.bearer, "@"):
		token, err := readSmall(f.bearer[1:])
		if err != nil {
			return "", i18n.Errorf("loadcmd.bearer", "--bearer: %w", err)
		}
		return "bearer " + template.Escape(token), nil
	case f.bearer != "":
		return "bearer " + f.bearer, nil
	}
	return "", nil
}

// readSmall reads a file that holds one line, such as a token.
func readSmall(path string) (string, error) {
	const limit = 64 << 10
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && len(b) > limit {
		err = i18n.Errorf("loadcmd.more-bytes", "%s has more than %d bytes", path, limit)
	}
	return strings.TrimSpace(string(b)), err
}

// parseFeeds reads "users=users.csv,random,stop".
func parseFeeds(texts []string) ([]request.Feed, error) {
	var feeds []request.Feed
	for _, text := range texts {
		name, rest, ok := strings.Cut(text, "=")
		words := strings.Split(rest, ",")
		if !ok || words[0] == "" {
			return nil, i18n.Errorf("loadcmd.feed-without-file", "--feed %q names no file; write it as users=users.csv", text)
		}
		feed := request.Feed{Name: name, File: words[0]}
		for _, word := range words[1:] {
			switch word {
			case string(request.InOrder), string(request.Random):
				feed.Order = request.Order(word)
			case string(request.Repeat), string(request.Stop):
				feed.End = request.End(word)
			default:
				return nil, i18n.Errorf("loadcmd.unknown-feed-order", "--feed %s: %q is none of in-order, random, repeat and stop", text, word)
			}
		}
		feeds = append(feeds, feed)
	}
	return feeds, nil
}

func readTargets(name, target string) (origin string, requests []request.Request, err error) {
	in := os.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", nil, i18n.Errorf("loadcmd.targets", "--targets: %w", err)
		}
		defer f.Close()
		in = f
	}
	return request.ReadTargets(name, in, target, func(path string) (string, error) { return readBody("--targets", "@"+path) })
}

// splitURL returns where a URL leads and the path with its query. A path that is
// a template is left as written, and is no part of the target.
func splitURL(target string) (origin, path string, err error) {
	if !strings.Contains(target, "://") {
		target = "http://" + target
	}
	scheme, rest, _ := strings.Cut(target, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	origin, path = scheme+"://"+rest[:end], rest[end:]
	if strings.Contains(rest[:end], "@") { // not shown: it may be a password
		return "", "", i18n.Errorf("loadcmd.url-with-credentials", "the URL has credentials before its host, where they are not read; leave them out and give --auth USER:PASSWORD")
	}
	if !strings.Contains(path, "{{") {
		u, err := url.Parse(target)
		if err != nil {
			return "", "", fmt.Errorf("URL %q: %w", target, err)
		}
		return target, u.RequestURI(), nil
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return origin, path, nil
}
