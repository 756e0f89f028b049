package study

import (
	"net/url"
	"strings"
)

func subjectsAt(at scope) []Subject {
	var subjects []Subject
	taken := make(map[string]bool)
	for _, item := range at.list() {
		s := subjectAt(item)
		if s.Name == "" {
			continue
		}
		if taken[s.Name] {
			item.problem("give one of them another name: {name: …, use: …}", "two subjects are called %q", s.Name)
		}
		taken[s.Name] = true
		subjects = append(subjects, s)
	}
	return subjects
}

// subjectAt reads the name of a shipped subject, or a mapping.
func subjectAt(at scope) Subject {
	if !at.isMapping() {
		name := at.oneOf(at.in.shipped...)
		return Subject{Name: name, Use: name}
	}
	f := at.fields("name", "use", "run", "build", "dir", "url", "ready", "env")
	s := Subject{Env: make(map[string]string)}
	for name, to := range map[string]*string{"run": &s.Run, "build": &s.Build, "dir": &s.Dir, "url": &s.URL, "ready": &s.Ready} {
		if v, ok := f[name]; ok {
			*to = v.text()
		}
	}
	if v, ok := f["use"]; ok {
		s.Use = v.oneOf(at.in.shipped...)
	}
	if v, ok := f["env"]; ok {
		s.Env = envAt(v)
	}
	checkSubject(at, f, &s)
	s.Name = s.Use
	if v, ok := f["name"]; ok {
		if s.Name = v.text(); !isName(strings.ReplaceAll(s.Name, "/", "-")) {
			v.problem("", "expected a name of letters, digits, dashes and slashes, got %q", s.Name)
		}
	} else if s.Use == "" {
		at.problem("add: name: mine", "the subject has no name")
	}
	return s
}

// checkSubject holds the fields against each other: a subject is one of three
// kinds, and each has fields of its own.
func checkSubject(at scope, f map[string]scope, s *Subject) {
	kinds := 0
	for _, kind := range []string{"use", "run", "url"} {
		if _, ok := f[kind]; ok {
			kinds++
		}
	}
	if kinds != 1 {
		at.problem("use: a shipped subject; run: a command of yours; url: a service that is already up", "expected exactly one of use, run and url, got %d", kinds)
		return
	}
	allowed := map[string]string{"build": "run", "dir": "run", "ready": "run"}
	for name, kind := range allowed {
		_, given := f[name]
		if _, ok := f[kind]; given && !ok {
			f[name].problem("", "%s goes with run only", name)
		}
	}
	if v, ok := f["env"]; ok && s.URL != "" {
		v.problem("", "env can't be set for a service that is already up")
	}
	if v, ok := f["ready"]; ok && !strings.HasPrefix(s.Ready, "/") {
		v.problem("", "expected a path that starts with \"/\", got %q", s.Ready)
	}
	if v, ok := f["url"]; ok {
		if u, err := url.Parse(s.URL); err != nil || u.Scheme != "http" || u.Host == "" || u.Path != "" && u.Path != "/" {
			v.problem("paths belong under requests", "expected http://host:port, got %q", s.URL)
		}
	}
}

func envAt(at scope) map[string]string {
	env := make(map[string]string)
	for _, e := range at.entries() {
		if e.key == "" || strings.ContainsAny(e.key, "= \x00") {
			e.name.problem("", "%q can't be the name of an environment variable", e.key)
			continue
		}
		env[e.key] = e.value.text()
	}
	return env
}
