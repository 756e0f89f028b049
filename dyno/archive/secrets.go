package archive

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/study"
)

// Redact hides, in m, credentials, cookies, levels of factors that are secrets, and
// the values of headers, environment variables and options of command lines whose
// names say that they are: in requests, subjects, the plan, claims, the study's
// source and the command. What m shares with others is not changed. It returns the
// secrets, for what else is written of the run.
func Redact(m *Manifest) study.Secrets {
	secrets := secretsIn(m)
	m.Subjects = slices.Clone(m.Subjects)
	for i := range m.Subjects {
		redactSubject(&m.Subjects[i], secrets)
	}
	m.Plan.Cells = slices.Clone(m.Plan.Cells)
	for i := range m.Plan.Cells {
		redactCell(&m.Plan.Cells[i], secrets)
	}
	m.StudySource = secrets.Hide(m.StudySource)
	m.Claims = redactClaims(m.Claims, secrets)
	m.Command = slices.Clone(m.Command)
	for i := range m.Command {
		m.Command[i] = secrets.Hide(m.Command[i])
	}
	return secrets
}

// RedactPlan returns the plan as it is archived: without secrets.
func RedactPlan(p study.Plan) study.Plan {
	m := Manifest{Plan: p}
	Redact(&m)
	return m.Plan
}

// secretsIn are the secrets that the plan knows, and what else is one in m.
func secretsIn(m *Manifest) study.Secrets {
	secrets := study.Secrets{}
	maps.Copy(secrets, m.Plan.Secrets)
	for i := range m.Subjects {
		secrets.AddEnv(m.Subjects[i].Env)
		secrets.AddCommand(m.Subjects[i].Command)
	}
	for i := range m.Plan.Cells {
		c := &m.Plan.Cells[i]
		secrets.AddEnv(unshown(c))
		secrets.AddRequests(c.Requests)
	}
	return secrets
}

// unshown is the environment of a cell without what its levels show.
func unshown(c *study.Cell) map[string]string {
	env := maps.Clone(c.Env)
	maps.DeleteFunc(env, func(name, value string) bool { return isShown(c, name, value) })
	return env
}

// isShown reports whether a variable has the value that a level shows: one that was
// found to be no secret.
func isShown(c *study.Cell, name, value string) bool {
	level, ok := c.Levels["env."+name]
	return ok && level == value
}

func redactSubject(s *Subject, secrets study.Secrets) {
	s.Env = redactEnv(s.Env, secrets)
	s.Command = secrets.Hide(s.Command)
	builds := make(map[string]string, len(s.Builds))
	for flags, hash := range s.Builds {
		builds[secrets.Hide(flags)] = hash
	}
	if len(builds) > 0 {
		s.Builds = builds
	}
}

func redactCell(c *study.Cell, secrets study.Secrets) {
	env := redactEnv(c.Env, secrets)
	for name, value := range c.Env {
		if isShown(c, name, value) {
			env[name] = value
		}
	}
	c.Env = env
	c.Args, c.BuildFlags = secrets.Hide(c.Args), secrets.Hide(c.BuildFlags)
	c.Requests = redactRequests(c.Requests, secrets)
}

// redactClaims hides levels that are secrets where claims name them.
func redactClaims(claims []claim.Claim, secrets study.Secrets) []claim.Claim {
	claims = slices.Clone(claims)
	for i := range claims {
		c := &claims[i]
		c.Expressions = slices.Clone(c.Expressions)
		for k := range c.Expressions {
			c.Expressions[k] = secrets.Hide(c.Expressions[k])
		}
		c.Over = slices.Clone(c.Over)
		for k := range c.Over {
			c.Over[k].Levels = slices.Clone(c.Over[k].Levels)
			for l := range c.Over[k].Levels {
				c.Over[k].Levels[l] = secrets.Hide(c.Over[k].Levels[l])
			}
		}
		for _, text := range []*string{&c.Says, &c.Published, &c.Direction, &c.Unmeasurable} {
			*text = secrets.Hide(*text)
		}
	}
	return claims
}

func redactEnv(env map[string]string, secrets study.Secrets) map[string]string {
	env = maps.Clone(env)
	for name, value := range env {
		hidden := secrets.Hide(value)
		if hidden == value && value != "" && request.IsSecret(name) && !strings.HasPrefix(value, request.Redacted) {
			hidden = request.Redacted // one too short to look for in texts
		}
		env[name] = hidden
	}
	return env
}

func redactRequests(requests []request.Request, secrets study.Secrets) []request.Request {
	requests = slices.Clone(requests)
	for i := range requests {
		r := &requests[i]
		r.Headers = slices.Clone(r.Headers)
		for k, h := range r.Headers {
			if request.IsSecret(h.Name) && h.Value != "" {
				r.Headers[k].Value = request.Redacted
			}
		}
		r.Cookies = slices.Clone(r.Cookies)
		for k := range r.Cookies {
			r.Cookies[k].Value = request.Redacted
		}
		if scheme, _, ok := strings.Cut(strings.TrimSpace(r.Auth), " "); ok {
			r.Auth = scheme + " " + request.Redacted
		}
		r.Path, r.Body = secrets.Hide(r.Path), secrets.Hide(r.Body)
		r.Expect = slices.Clone(r.Expect)
		for k := range r.Expect {
			r.Expect[k] = secrets.Hide(r.Expect[k])
		}
	}
	return requests
}

// redactTrial hides secrets in what a trial says in words, such as the last lines
// of a subject that did not start.
func redactTrial(t Trial, secrets study.Secrets) Trial {
	t.Error = t.Error.Map(secrets.Hide)
	t.ErrorMessage = archived(t.Error)
	t.Findings = slices.Clone(t.Findings)
	for i := range t.Findings {
		t.Findings[i].Detail = t.Findings[i].Detail.Map(secrets.Hide)
	}
	t.Failures = slices.Clone(t.Failures)
	for i := range t.Failures {
		f := &t.Failures[i]
		f.Why, f.Sent, f.Received = f.Why.Map(secrets.Hide), secrets.Hide(f.Sent), secrets.Hide(f.Received)
	}
	return t
}

// takeLog moves the subject's log, if there is one, into the trial's folder,
// without the secrets in it.
func (w *Writer) takeLog(from, to string) error {
	if len(w.secrets) == 0 {
		return moveLog(from, to)
	}
	log, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer log.Close()
	err = w.create.write(to, func(out io.Writer) error {
		buffer := bufio.NewWriter(out)
		return errors.Join(w.secrets.Copy(buffer, log), buffer.Flush())
	})
	if err != nil {
		return err
	}
	return os.Remove(from)
}
