package runner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// builder makes contenders of the subjects of a study.
type builder struct {
	study    *study.Study
	cells    []study.Cell
	catalog  *subject.Catalog
	cacheDir string // for builds
	tell     func(Event)
}

// all builds every subject of the study.
func (b *builder) all(ctx context.Context) (map[string]*contender, error) {
	contenders := make(map[string]*contender)
	for _, s := range b.study.Subjects {
		b.tell(Event{Kind: Building, Subject: s.Name})
		c, cached, err := b.contender(ctx, s)
		if err != nil {
			return nil, i18n.Errorf("runner.subject", "subject %s: %w", s.Name, err)
		}
		contenders[s.Name] = c
		e := Event{Kind: Built, Subject: s.Name}
		if cached {
			e.Line = i18n.Verbatim("cached")
		}
		b.tell(e)
	}
	return contenders, nil
}

func (b *builder) contender(ctx context.Context, s study.Subject) (*contender, bool, error) {
	switch {
	case s.URL != "":
		c := &contender{Subject: s, settles: true, archived: archive.Subject{Name: s.Name, Role: "own", URL: s.URL}}
		return c, true, nil
	case s.Use != "":
		return b.shipped(ctx, s)
	}
	return b.own(ctx, s)
}

// shipped builds a subject that ships with dyno, once for each level of its
// build.
func (b *builder) shipped(ctx context.Context, s study.Subject) (*contender, bool, error) {
	m, err := b.catalog.Get(s.Use)
	if err != nil {
		return nil, false, err
	}
	if speaksTLS(b.cells, s.Name) && !m.TLS {
		return nil, false, i18n.Errorf("runner.no-tls", "it does not listen with TLS, so the factor tls can't be varied of it; %s does", "go/nethttp")
	}
	for _, protocol := range protocolsOf(b.cells, s.Name) {
		if !m.Speaks(protocol) {
			return nil, false, i18n.Errorf("runner.protocol-not-spoken", "it does not speak %s, which a load of the study is to be sent over; it speaks %s", protocol, strings.Join(m.Protocols, " and "))
		}
	}
	c := &contender{
		Subject: s, starts: make(map[string]subject.StartSpec), sizes: make(map[string]uint64), tells: m.Probe != "", settles: m.Warmup == subject.WarmupSteady,
		archived: archive.Subject{
			Name: s.Name, Language: m.Language, Framework: m.Framework, Version: m.VersionText(), Role: string(m.Role), Own: m.Own,
			Command: m.Run, Env: merged(m.Env, s.Env), Limits: s.Limits, Network: s.Network,
		},
	}
	if m.GRPC() {
		c.calls, err = b.catalog.Calls(m)
	} else {
		c.routes, err = b.catalog.Routes(m)
	}
	if err != nil {
		return nil, false, err
	}
	cached, err := b.upstream(ctx, c, cmp.Or(s.Upstream, m.Upstream))
	if err != nil {
		return nil, false, err
	}
	if s.Upstream != "" && m.Upstream == "" {
		return nil, false, i18n.Errorf("runner.no-upstream", "it sends requests on to nobody, so that an upstream would change nothing")
	}
	for _, flags := range flagsOf(b.cells, s.Name) {
		artifact, err := b.build(ctx, s, m, flags)
		if err != nil {
			return nil, false, err
		}
		start := artifact.StartSpec()
		start.Name, start.Limits, start.Env = s.Name, limitsOf(s), merged(start.Env, s.Env)
		c.starts[flags], c.sizes[flags] = start, artifact.Size()
		c.built(flags, artifact)
		cached = cached && artifact.Cached
	}
	return c, cached, nil
}

func (b *builder) build(ctx context.Context, s study.Subject, m subject.Manifest, flags string) (*subject.Artifact, error) {
	m, err := m.WithBuildFlags(flags)
	if err != nil {
		return nil, err
	}
	builder := subject.Builder{Dir: b.cacheDir, Progress: func(line string) {
		b.tell(Event{Kind: BuildLine, Subject: s.Name, Line: i18n.Verbatim(line)})
	}}
	return builder.Build(ctx, b.catalog, m)
}

// own prepares a program of the user's, once for each level of its build.
func (b *builder) own(ctx context.Context, s study.Subject) (*contender, bool, error) {
	c := &contender{
		Subject: s, starts: make(map[string]subject.StartSpec), tells: true, settles: true, // it may
		archived: archive.Subject{Name: s.Name, Role: "own", Command: s.Run, Env: s.Env, Limits: s.Limits, Network: s.Network},
	}
	cached, err := b.upstream(ctx, c, s.Upstream)
	if err != nil {
		return nil, false, err
	}
	for _, flags := range flagsOf(b.cells, s.Name) {
		own, err := b.ownBuild(s, flags)
		if err != nil {
			return nil, false, err
		}
		c.archived.Version = revision(ctx, own.Dir)
		err = own.Prepare(ctx, "", func(line string) {
			b.tell(Event{Kind: BuildLine, Subject: s.Name, Line: i18n.Verbatim(line)})
		})
		if err != nil {
			return nil, false, err
		}
		start, err := own.StartSpec()
		if err != nil {
			return nil, false, err
		}
		start.Limits = limitsOf(s)
		c.starts[flags] = start
	}
	return c, cached && s.Build == "", nil
}

// ownBuild is a program of the user's with a level of its build. What it makes
// goes to a folder of its own, if its commands use one.
func (b *builder) ownBuild(s study.Subject, flags string) (subject.Own, error) {
	dir := s.Dir
	if !filepath.IsAbs(dir) && !strings.HasPrefix(b.study.Path, "builtin:") {
		dir = filepath.Join(filepath.Dir(b.study.Path), dir)
	}
	own := subject.Own{Name: s.Name, Build: s.Build, Run: s.Run, Dir: dir, Env: s.Env, Ready: s.Ready, ReadyWithin: s.ReadyWithin, Poll: s.Poll, Flags: flags}
	if b.cacheDir == "" || !strings.Contains(s.Build, "OUT") {
		return own, nil
	}
	place, err := filepath.Abs(dir)
	if err != nil {
		return own, err
	}
	key := sha256.Sum256([]byte(strings.Join([]string{place, s.Name, s.Build, flags}, "\x00")))
	if own.Out, err = filepath.Abs(filepath.Join(b.cacheDir, "own", fmt.Sprintf("%x", key[:12]))); err != nil {
		return own, err
	}
	if err := os.MkdirAll(own.Out, 0o755); err != nil {
		return own, i18n.Errorf("runner.making-folder-build", "making the folder for its build: %w", err)
	}
	return own, nil
}

// flagsOf are the flags that a subject is built with, each once, in the order of
// the plan.
func flagsOf(cells []study.Cell, subject string) (all []string) {
	for i := range cells {
		c := &cells[i]
		if c.Subject == subject && !slices.Contains(all, c.BuildFlags) {
			all = append(all, c.BuildFlags)
		}
	}
	return all
}

// protocolsOf are what a subject is spoken to in, each once, by their ALPN names.
func protocolsOf(cells []study.Cell, subject string) (all []string) {
	for i := range cells {
		c := &cells[i]
		if p := c.Link.Protocol(); c.Subject == subject && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// merged returns the union of the maps; later ones win.
func merged(envs ...map[string]string) map[string]string {
	all := make(map[string]string)
	for _, env := range envs {
		maps.Copy(all, env)
	}
	return all
}
