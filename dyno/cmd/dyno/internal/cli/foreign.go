package cli

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno.example/internal/i18n"
)

// foreignFlags are flags that wrk, wrk2, hey, oha, vegeta, k6, ab and curl have for
// what dyno load has by another name, or not at all. Flags that dyno has too are
// not among them, whatever they mean there.
var foreignFlags = map[string]string{
	// how much
	"z": "-d 30s is how long", "u": "-c is the number of connections (k6's VUs); --auth USER:PASSWORD sends credentials",
	"vus": "-c is the number of connections, each of which plays one user", "max-vus": "--max-connections, with --overflow open",
	"workers": "-c is the number of connections", "max-workers": "--max-connections, with --overflow open", "concurrency": "-c",
	"i": "-n is the number of requests", "iterations": "-n is the number of requests", "rps": "-R is the rate", "qps": "-R is the rate",
	"query-per-second": "-R is the rate", "stage": "--phase 'ramp 0..1000 30s' is a stage; repeat it", "stages": "--phase 'ramp 0..1000 30s' is a stage; repeat it",
	"s": "requests of several kinds are in --request FILE or --targets FILE (wrk's scripts); a time limit is -T (ab)", "script": "requests of several kinds are in --request FILE or --targets FILE",
	"latency": "percentiles are always shown; leave it out", "L": "percentiles are always shown, and redirects are not followed; leave it out", "latency-correction": "with -R response times always count from the schedule; leave it out",
	"lazy": "leave it out", "burst-delay": "--phase 'steps …' and others change the rate as the load goes on", "burst-rate": "--phase changes the rate as the load goes on",
	"connect-timeout": "-T limits connecting too",
	// what is sent
	"D": "-b @FILE is the body", "p": "-b @FILE is the body", "data": "-b is the body", "data-raw": "-b is the body", "data-binary": "-b is the body", "body-file": "-b @FILE is the body",
	"A": "-H 'Accept: …', or --auth USER:PASSWORD (ab)", "a": "--auth USER:PASSWORD", "user": "--auth USER:PASSWORD", "basic-auth": "--auth USER:PASSWORD",
	"C": "--cookie NAME=VALUE", "content-type": "-H 'Content-Type: …'", "host": "-H 'Host: …'", "urls-from-file": "--targets FILE", "rand-regex-url": "{{int 1 1000}} and others in the URL change it; see --help",
	"format":        "--targets knows its format by itself; leave it out",
	"max-redirects": "redirects are not followed; leave it out", "redirects": "redirects are not followed; leave it out", "redirect": "redirects are not followed; leave it out", "location": "redirects are not followed; leave it out", "disable-redirects": "redirects are not followed; leave it out",
	"x": "proxies are not used", "proxy": "proxies are not used", "e": "{{env NAME}} is an environment variable's value", "env": "{{env NAME}} is an environment variable's value",
	// connections
	"disable-keepalive": "--reuse none opens a connection for each request", "no-connection-reuse": "--reuse none opens a connection for each request", "keepalive": "connections are kept unless --reuse none",
	"disable-compression": "nothing is asked for compressed unless -H 'Accept-Encoding: gzip'", "laddr": "--source", "root-certs": "--cacert", "cacerts": "--cacert", "insecure-skip-tls-verify": "-k",
	"h2": "--http2", "h2c": "--http2, which needs no TLS where the URL is http://", "h3": "--http3", "http-version": "--http2 or --http3; HTTP/1.1 is spoken otherwise", "unix-sock": "--unix-socket",
	// what comes out
	"output": "-o FORMAT=FILE", "output-format": "--json, or -o FORMAT=FILE", "j": "--json", "no-tui": "--plain", "summary-export": "-o json=FILE", "threshold": "--fail", "thresholds": "--fail", "tag": "--label NAME=VALUE", "name": "--label NAME=VALUE",
	"r": "a load goes on after errors; leave it out", "l": "responses may have different lengths; leave it out",
	"print": "-o FORMAT=FILE writes more; leave it out", "disable-color": "NO_COLOR=1 in the environment", "no-color": "NO_COLOR=1 in the environment", "fps": "--plain prints lines instead of a live display",
	"summary-trend-stats": "all percentiles are in --json and in -o hdr=FILE; leave it out", "no-summary": "-q prints the result only", "no-thresholds": "leave --fail out",
	// users, and what they do
	"users": "-c is the number of connections, each of which plays one user", "spawn-rate": "--phase 'ramp 0..1000 30s' makes the load grow", "vu": "-c is the number of connections, each of which plays one user",
	"har": noImport, "openapi": noImport, "swagger": noImport, "postman": noImport, "collection": noImport, "scenario": noImport, "import": noImport,
	"F": noForm, "form": noForm, "form-string": noForm, "data-urlencode": "-b 'a=1&b=2' with -H 'Content-Type: application/x-www-form-urlencoded' is a form", "json-body": "-b is the body; -H 'Content-Type: application/json'",
	"G": "write the query into the URL", "get": "-m GET is the method, which is GET without a body", "I": "-m HEAD", "head": "-m HEAD",
	"user-agent": "-H 'User-Agent: …'", "referer": "-H 'Referer: …'", "compressed": "-H 'Accept-Encoding: gzip'", "max-time": "-T limits a request, -d the load", "resolve": "write the address into the URL, and -H 'Host: …', --server-name NAME", "connect-to": "write the address into the URL, and -H 'Host: …', --server-name NAME",
	"discard-response-bodies": "bodies are read and thrown away; leave it out", "http1.1": "HTTP/1.1 is spoken without --http2 or --http3; leave it out", "http1": "HTTP/1.1 is spoken without --http2 or --http3; leave it out",
}

const (
	noImport = "HAR, OpenAPI and Postman files are not read; write the requests into --request FILE or --targets FILE"
	noForm   = "there are no forms of parts; write the body into a file for -b @FILE, with its -H 'Content-Type: multipart/form-data; boundary=…'"
)

// foreignCommands are what other tools call what dyno does by another name.
var foreignCommands = map[string]string{
	"attack": "dyno load URL", "bench": "dyno load URL", "benchmark": "dyno load URL", "test": "dyno load URL", "start": "dyno load URL, or dyno run STUDY", "quick": "dyno load URL", "hit": "dyno load URL",
	"diff": "dyno compare OLD NEW", "plot": "dyno report RUN", "dump": "dyno report RUN --json", "ls": "dyno list", "delete": "dyno rm RUN", "init": "dyno study init", "serve": "dyno up SUBJECT, or dyno null-server", "ps": "dyno list", "version": "dyno --version",
}

// foreignCommand is what does here what a word asks for that is no command; "" if nothing
// is known.
func foreignCommand(word string) string {
	if strings.Contains(word, "://") {
		return "dyno load " + word
	}
	return foreignCommands[word]
}

// elsewhere are what flags of dyno mean to users of other tools, by the flag, if
// their value shows it.
var elsewhere = map[string]struct {
	means string
	like  func(value string) bool
}{
	"duration": {"-d is how long; the body is -b", func(v string) bool { return strings.ContainsAny(v, "{=&@\" ") }},
	"timeout":  {"-T is the time limit; the type of the body is -H 'Content-Type: …'", func(v string) bool { return strings.Contains(v, "/") }},
}

// FlagError explains what is wrong with a flag: one that doesn't exist, one of
// another tool, a long one with a single dash, or a wrong value.
func FlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	sendsLoad := cmd.Flags().Lookup("header") != nil && cmd.Flags().Lookup("connections") != nil
	switch {
	case sendsLoad && singleDash(cmd, os.Args) != "":
		return i18n.Fail(i18n.New("cli.single-dash", "flags of several letters take two dashes: %s", singleDash(cmd, os.Args)))
	case errors.As(err, &value):
		if e, ok := elsewhere[value.GetFlag().Name]; ok && sendsLoad && e.like(value.GetValue()) {
			return errors.New(wrongValue(value).Error() + "; " + e.means)
		}
		return wrongValue(value)
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		ours, known := foreignFlags[name]
		suggestion := flagSuggestion(cmd, err)
		said := i18n.New("cli.unknown-flag", "unknown flag: --%s", name)
		if len(name) == 1 {
			said = i18n.From(err)
		}
		if len(name) == 1 {
			suggestion = i18n.Message{} // what begins with one letter is much
		}
		switch {
		case known && sendsLoad:
			return i18n.Fail(i18n.Join(said, i18n.New("cli.flags-here", "; here: %s", ours)))
		case known && suggestion.IsZero() && cmd.Flags().Lookup("quick") != nil: // dyno run, dyno gate
			return i18n.Fail(i18n.Join(said, i18n.New("cli.flags-of-load", "; a study's file says what is sent; of dyno load: %s", ours)))
		case suggestion.IsZero():
			suggestion = flagOfLoad(cmd, name)
		}
		return i18n.Fail(i18n.Join(said, suggestion))
	}
	return err
}

// flagOfLoad says that dyno load has a flag that cmd does not; "" if it has none such.
func flagOfLoad(cmd *cobra.Command, name string) i18n.Message {
	for _, other := range cmd.Root().Commands() {
		if other.Name() != "load" || other == cmd {
			continue
		}
		flags := other.Flags()
		if flags.Lookup(name) != nil || len(name) == 1 && flags.ShorthandLookup(name) != nil {
			return i18n.New("cli.flag-of-load", "; it is a flag of dyno load")
		}
	}
	return i18n.Message{}
}

// singleDash returns a flag of several letters that was given with one dash, as
// Go's own tools take it, with two; "" if there is none.
func singleDash(cmd *cobra.Command, args []string) string {
	for _, arg := range args {
		if arg == "--" {
			return ""
		}
		name, isFlag := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && len(name) > 2 && !strings.HasPrefix(name, "-") && cmd.Flags().Lookup(name) != nil {
			return "--" + name
		}
	}
	return ""
}
