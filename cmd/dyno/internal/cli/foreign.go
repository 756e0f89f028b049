package cli

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	"r": "a load goes on after errors; leave it out", "l": "answers may have different lengths; leave it out",
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
		return errors.New("flags of several letters take two dashes: " + singleDash(cmd, os.Args))
	case errors.As(err, &value):
		if e, ok := elsewhere[value.GetFlag().Name]; ok && sendsLoad && e.like(value.GetValue()) {
			return errors.New(wrongValue(value).Error() + "; " + e.means)
		}
		return wrongValue(value)
	case errors.As(err, &unknown):
		if ours, ok := foreignFlags[unknown.GetSpecifiedName()]; ok && sendsLoad {
			return errors.New(err.Error() + "; here: " + ours)
		}
		return errors.New(err.Error() + flagSuggestion(cmd, err))
	}
	return err
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
