package study

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
)

// subjectsAt reads the subjects. Those that are started are ready when the first of the
// requests gets a response, unless they say otherwise.
func subjectsAt(at scope, requests []request.Request) []Subject {
	var subjects []Subject
	taken := make(map[string]bool)
	for _, item := range at.list() {
		s := subjectAt(item)
		if s.Name == "" {
			continue
		}
		if taken[s.Name] {
			item.Report(i18n.New("study.subject-named-twice", "two subjects are called %s", form.Quote(s.Name)), i18n.New("study.rename-one-subject", "give one of them another name: {name: …, use: …}"))
		}
		taken[s.Name] = true
		if s.Run != "" && s.Ready == "" && len(requests) > 0 {
			s.Poll = readyPath(&requests[0])
		}
		subjects = append(subjects, s)
	}
	return subjects
}

// subjectAt reads the name of a shipped subject, or a mapping.
func subjectAt(at scope) Subject {
	if !at.IsMapping() {
		name := at.oneOf(at.in.shipped...)
		return Subject{Name: name, Use: name}
	}
	f, understood := at.fields("name", "use", "run", "build", "dir", "url", "ready", "ready_within", "upstream", "metrics", "pprof", "env", "limits", "network", "tls", "ca_file", "insecure")
	s := Subject{}
	if v, ok := f["use"]; ok {
		s.Use = v.oneOf(at.in.shipped...)
	}
	s.Run, s.Build = commandAt(f, "run"), commandAt(f, "build")
	if v, ok := f["dir"]; ok {
		s.Dir = v.filled("")
	}
	if v, ok := f["ready"]; ok {
		s.Ready = v.readiness()
	}
	if v, ok := f["ready_within"]; ok {
		s.ReadyWithin = v.Duration(time.Second, maxReady)
	}
	if v, ok := f["url"]; ok {
		s.URL = v.baseURL()
	}
	if v, ok := f["metrics"]; ok {
		s.Metrics = v.metricsURL()
	}
	if v, ok := f["pprof"]; ok {
		s.Pprof = v.pprofURL()
	}
	if v, ok := f["env"]; ok {
		s.Env = envAt(v)
	}
	if v, ok := f["upstream"]; ok {
		s.Upstream = v.oneOf(at.in.shipped...)
	}
	if v, ok := f["limits"]; ok {
		s.Limits = limitsAt(v)
	}
	if v, ok := f["network"]; ok {
		s.Network = networkAt(v)
	}
	trustAt(f, &s)
	if at.in.onDisk && s.Run != "" {
		checkPlaces(f, &s, filepath.Dir(at.in.Path))
	}
	if understood {
		checkSubject(at, f)
	}
	s.Name = s.Use
	if v, ok := f["name"]; ok {
		s.Name = v.subjectName()
	} else if _, ok := f["use"]; !ok && understood {
		at.Report(i18n.New("study.subject-without-name", "the subject has no name"), i18n.New("study.add-field", "add: %s: %s", "name", "mine"))
	}
	return s
}

// checkPlaces looks for the folder of a program of the user's and, unless a build
// is to make it, for the program. base is the study file's folder.
func checkPlaces(f map[string]scope, s *Subject, base string) {
	dir := s.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(base, dir)
	}
	if info, err := os.Stat(dir); s.Dir != "" && (err != nil || !info.IsDir()) {
		f["dir"].Report(i18n.New("study.folder-missing", "there is no folder %s", form.Quote(dir)), i18n.New("study.paths-relative", "paths are relative to the study file"))
		return
	}
	words := strings.Fields(s.Run)
	if s.Build != "" || len(words) == 0 || !strings.Contains(words[0], "/") || strings.ContainsAny(words[0], "$\"'`=;&|()*?<>") {
		return // it is built, found in PATH, or the shell's to say
	}
	program := words[0]
	if !filepath.IsAbs(program) {
		program = filepath.Join(dir, program)
	}
	if info, err := os.Stat(program); err != nil || info.IsDir() {
		f["run"].Report(i18n.New("study.program-missing", "there is no program %s", form.Quote(program)), i18n.New("study.build-command-makes", "build: the command that makes it"))
	}
}

// commandAt reads a shell command, which may have several lines.
func commandAt(f map[string]scope, field string) string {
	if v, ok := f[field]; ok {
		return v.filled("\n\t")
	}
	return ""
}

// checkSubject holds the fields against each other: a subject is one of three
// kinds, and each has fields of its own.
func checkSubject(at scope, f map[string]scope) {
	kinds := 0
	for _, kind := range []string{"use", "run", "url"} {
		if _, ok := f[kind]; ok {
			kinds++
		}
	}
	if kinds != 1 {
		at.Report(i18n.New("study.expected-subject-kind", "expected exactly one of use, run and url, got %d", kinds), i18n.New("study.subject-kinds", "use: a shipped subject; run: a command of yours; url: a service that is already up"))
		return
	}
	_, run := f["run"]
	for _, field := range []string{"build", "dir", "ready", "ready_within"} {
		if v, ok := f[field]; ok && !run {
			v.Report(i18n.New("study.goes-run-only", "%s goes with run only", field))
		}
	}
	_, up := f["url"]
	if v, ok := f["metrics"]; ok && !run && !up {
		v.Report(i18n.New("study.metrics-need-running", "metrics goes with run and url only"), i18n.New("study.figures-come-by-themselves", "dyno sees a shipped subject without them"))
	}
	if v, ok := f["env"]; ok && up {
		v.Report(i18n.New("study.env-of-running-service", "env can't be set for a service that is already up"))
	}
	if v, ok := f["upstream"]; ok && up {
		v.Report(i18n.New("study.upstream-needs-program", "upstream goes with use and run only"))
	}
	if v, ok := f["limits"]; ok && up {
		v.Report(i18n.New("study.limits-of-running-service", "a service that is already up can't be limited"))
	}
	if v, ok := f["network"]; ok && up {
		v.Report(i18n.New("study.network-of-running-service", "a service that is already up can't be put behind a network"))
	}
}

// trustAt reads how a subject speaks TLS.
func trustAt(f map[string]scope, s *Subject) {
	if v, ok := f["tls"]; ok {
		s.TLS = v.Boolean()
		if s.Run == "" {
			v.Report(i18n.New("study.tls-needs-run", "tls goes with run only; a service that is up has it in its https:// address"))
		}
	}
	https := strings.HasPrefix(s.URL, "https:") || strings.HasPrefix(s.Metrics, "https:") || strings.HasPrefix(s.Pprof, "https:")
	if v, ok := f["ca_file"]; ok {
		s.CAFile = v.filePath()
		if !https {
			v.Report(i18n.New("study.ca-file-needs-https", "ca_file goes with an https:// url or metrics only"))
		}
	}
	if v, ok := f["insecure"]; ok {
		s.Insecure = v.Boolean()
		if !https {
			v.Report(i18n.New("study.insecure-needs-https", "insecure goes with an https:// url or metrics only"))
		}
	}
}

// subjectName reads names with slashes between them, such as go/gin.
func (s scope) subjectName() string {
	name, ok := s.Scalar()
	for part := range strings.SplitSeq(name, "/") {
		ok = ok && isName(part)
	}
	if !ok || len(name) > 64 {
		s.Report(s.notName(), i18n.New("study.slashes-between-names", "slashes may stand between such names"))
		return ""
	}
	return name
}

// baseURL reads where a service is that is already up.
func (s scope) baseURL() string {
	text, ok := s.Scalar()
	u, err := url.Parse(text)
	if !ok || err != nil || !isBase(u, "http", "https") {
		s.Report(i18n.New("study.expected-origin", "expected http://host:port or https://host:port, got %s", s.Describe()), i18n.New("study.paths-under-requests", "paths belong under requests"))
		return ""
	}
	return text
}

// isBase reports whether u is only one of the schemes, a host and perhaps a port.
func isBase(u *url.URL, schemes ...string) bool {
	if u.Port() != "" {
		if port, err := strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
			return false
		}
	}
	base := url.URL{Scheme: u.Scheme, Host: u.Host}
	return slices.Contains(schemes, u.Scheme) && u.Hostname() != "" && strings.TrimSuffix(u.String(), "/") == base.String()
}

// metricsURL reads where a subject's metrics are: a path of its own, or a URL.
// It returns "" after a problem.
func (s scope) metricsURL() string {
	text, ok := s.Scalar()
	u, err := url.Parse(text)
	if !ok || err != nil || !isMetricsURL(text, u) {
		s.Report(i18n.New("study.expected-path-or-url", "expected a path that starts with \"/\", or http://host:port/path, or https://…, got %s", s.Describe()))
		return ""
	}
	return text
}

// pprofURL reads where a subject's own profiles are: a path of its own, or a URL, without a
// query. It returns "" after a problem.
func (s scope) pprofURL() string {
	text, ok := s.Scalar()
	u, err := url.Parse(text)
	if !ok || err != nil || !isMetricsURL(text, u) || u.RawQuery != "" || u.ForceQuery {
		s.Report(i18n.New("study.expected-pprof-path", "expected a path such as /debug/pprof, or http://host:port/debug/pprof, or https://…, got %s", s.Describe()))
		return ""
	}
	return text
}

// isMetricsURL reports whether u, written as text, is a path or a path at a base,
// with a query perhaps.
func isMetricsURL(text string, u *url.URL) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return r == '#' || unicode.IsSpace(r) || !unicode.IsGraphic(r) }) {
		return false
	}
	base := url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}
	return strings.HasPrefix(u.Path, "/") && (u.Host == "" && u.Scheme == "" || isBase(&base, "http", "https"))
}

func envAt(at scope) map[string]string {
	env := make(map[string]string)
	for _, e := range at.entries() {
		checkVariable(e.name, e.key)
		env[e.key], _ = e.value.printable("\n\t")
		if _, err := template.Environ(env[e.key], at.in.env.Getenv); err != nil {
			e.value.Report(i18n.From(err))
		}
	}
	return env
}

// checkVariable refuses names of environment variables that no system takes,
// and the one that dyno sets.
func checkVariable(at scope, name string) {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r == '=' || !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
		at.Report(i18n.New("study.bad-variable-name", "%s can't be the name of an environment variable", form.Quote(name)))
	}
	if name == "PORT" {
		at.Report(i18n.New("study.port-reserved", "PORT can't be set: dyno chooses the port"))
	}
}

// readiness reads what tells that a subject is ready: a path, or health over gRPC.
func (s scope) readiness() string {
	text, _ := s.Scalar()
	service, named := strings.CutPrefix(text, "grpc:")
	if text == "grpc" || named && service != "" && !strings.ContainsAny(service, "/ \t") {
		return text
	}
	if named {
		s.Report(i18n.New("study.expected-health-service", "expected the name of a service whose health is asked for, got %s", form.Quote(service)), i18n.New("study.grpc-health-form", "grpc:package.Service, or grpc for the server as a whole"))
		return ""
	}
	return s.requestPath()
}

// readyPath is what to poll of a request: its path, the root if that is a template,
// which is rendered only for the load, or its server's health if it is a call over gRPC.
func readyPath(r *request.Request) string {
	switch {
	case r.GRPC != nil:
		return "grpc"
	case strings.Contains(r.Path, "{{"):
		return "/"
	}
	return r.Path
}
