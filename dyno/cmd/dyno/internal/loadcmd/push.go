package loadcmd

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"dyno.example/dyno/export"
	"dyno.example/dyno/load"
	"dyno.example/internal/i18n"
)

// pushPatience is how long the end of a load waits for what is yet to be sent.
const pushPatience = 5 * time.Second

// endpoint is where windows are sent while the load runs.
type endpoint struct {
	flag    string
	url     *url.URL
	header  http.Header
	encoder func(*export.Source) export.Encoder
	push    *export.Push // once the load has begun
}

// endpoints are those of --remote-write and --otlp.
func (f *Flags) endpoints() ([]*endpoint, error) {
	var list []*endpoint
	for _, e := range []struct {
		flag, url, path, env string
		headers              []string
		encoder              func(*export.Source) export.Encoder
	}{
		{"--remote-write", f.remoteWrite, "/api/v1/write", "DYNO_REMOTE_WRITE_HEADERS", f.remoteWriteHeaders,
			func(s *export.Source) export.Encoder { return export.NewRemoteWrite(s) }},
		{"--otlp", f.otlp, "/v1/metrics", "DYNO_OTLP_HEADERS", f.otlpHeaders,
			func(s *export.Source) export.Encoder { return export.NewOTLP(s) }},
	} {
		if e.url == "" {
			if len(e.headers) > 0 {
				return nil, i18n.Errorf("loadcmd.header-flag-unused", "%s-header is of no use without %s", e.flag, e.flag)
			}
			continue
		}
		u, err := endpointURL(e.url, e.path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.flag, err)
		}
		header, err := pushHeaders(os.Getenv(e.env), e.headers)
		if err != nil {
			return nil, i18n.Errorf("loadcmd.header", "%s-header: %w", e.flag, err)
		}
		list = append(list, &endpoint{flag: e.flag, url: u, header: header, encoder: e.encoder})
	}
	return list, nil
}

// endpointURL adds the usual path to a URL without one. Errors don't show the
// URL, which may hold a password.
func endpointURL(text, path string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, i18n.Fail(i18n.Join(i18n.New("loadcmd.expected-http-url", "must be an http or https URL, such as http://127.0.0.1:9090"), path))
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = path
	}
	return u, nil
}

// pushHeaders reads headers from an environment variable, one a line, and from
// flags. Errors don't show values, which may be secrets.
func pushHeaders(env string, flags []string) (http.Header, error) {
	header := make(http.Header)
	for _, line := range append(strings.Split(env, "\n"), flags...) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !headerName.MatchString(name) || strings.ContainsAny(value, "\r\n\x00") {
			return nil, i18n.Errorf("loadcmd.write-name-value", "write it as 'Name: value'")
		}
		header.Set(name, value)
	}
	return header, nil
}

// headerName is a token (RFC 9110, section 5.6.2).
var headerName = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$")

// labelName is a name that every receiver takes
// (https://prometheus.io/docs/concepts/data_model); names of the outputs' own
// are excepted.
var labelName = regexp.MustCompile("^[a-zA-Z][a-zA-Z0-9_]*$")

// pushLabels are the labels of every series: what was loaded, and --label.
func (f *Flags) pushLabels(s *load.Spec) (map[string]string, error) {
	labels := map[string]string{"job": "dyno", "target": export.Target(s), "mode": string(s.Profile.Mode)}
	for _, text := range f.labels {
		name, value, ok := strings.Cut(text, "=")
		if !ok || !labelName.MatchString(name) || value == "" {
			return nil, i18n.Errorf("loadcmd.label-form", "--label %q: write it as NAME=VALUE, with letters, digits and _ in the name", text)
		}
		if name == "le" || name == "quantile" || name == "clock" || name == "kind" {
			return nil, i18n.Errorf("loadcmd.label-reserved", "--label %q: %s is a label of dyno's own", text, name)
		}
		labels[name] = value
	}
	return labels, nil
}

// start begins sending.
func (e *endpoint) start(source *export.Source) {
	e.push = export.NewPush(e.url.String(), e.header, e.encoder(source))
}

// close waits for what is yet to be sent.
func (e *endpoint) close() error {
	if e.push == nil {
		return nil
	}
	if err := e.push.Close(pushPatience); err != nil {
		return fmt.Errorf("%s %s: %w", e.flag, withoutSecrets(e.url), err)
	}
	return nil
}

// withoutSecrets is the URL without user, password and query.
func withoutSecrets(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// pushSecrets are the parts of the command line that no report may hold.
func (f *Flags) pushSecrets() []string {
	var secrets []string
	for _, line := range append(f.remoteWriteHeaders, f.otlpHeaders...) {
		_, value, _ := strings.Cut(line, ":")
		secrets = append(secrets, strings.TrimSpace(value))
	}
	for _, text := range []string{f.remoteWrite, f.otlp} {
		if u, err := url.Parse(text); err == nil && (u.User != nil || u.RawQuery != "") {
			secrets = append(secrets, text)
		}
	}
	return secrets
}
