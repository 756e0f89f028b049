package service

import (
	"context"
	"fmt"
	"os/exec"

	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// Kind is a kind of service that dyno starts, and what it takes.
type Kind struct {
	Name  string
	What  string // in words
	Needs []subject.Need
	built []func() subject.Manifest // what is built of source
}

// Kinds are all there are.
func Kinds() []Kind {
	kit := []func() subject.Manifest{servicekit}
	return []Kind{
		{study.Postgres, "PostgreSQL, with a streaming replica if that is asked for", []subject.Need{
			{Command: "initdb", Install: "https://www.postgresql.org/download or your distribution's package postgresql", Debian: []string{"postgresql-15"}}, goTool}, kit},
		{study.Redis, "Redis, in memory only", []subject.Need{
			{Command: "redis-server", Install: "https://redis.io or your distribution's package redis-server", Debian: []string{"redis-server"}}, goTool}, kit},
		{study.Kafka, "Kafka with one broker that is its own controller (KRaft), from Maven's artefacts", append(kafkaServer().Needs, goTool), append(kit, kafkaServer)},
		{study.Etcd, "one etcd server, the subject go/etcd", []subject.Need{goTool}, nil},
		{study.S3, "an S3 server, versitygw, that keeps objects as files", []subject.Need{goTool}, []func() subject.Manifest{s3server}},
	}
}

// Of are the services that a shipped subject stands on, with the settings they have by
// default.
func Of(m *subject.Manifest) (defs []study.Service) {
	for _, kind := range m.Services {
		defs = append(defs, study.DefaultService(kind))
	}
	return defs
}

// KindOf is the kind of that name.
func KindOf(name string) (Kind, bool) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Lacks are the tools that this machine doesn't have.
func (k *Kind) Lacks() (missing []subject.Need) {
	for _, need := range k.Needs {
		if need.Command == "initdb" {
			if _, err := postgresBin(); err != nil {
				missing = append(missing, need)
			}
			continue
		}
		if _, err := exec.LookPath(need.Command); err != nil {
			missing = append(missing, need)
		}
	}
	return missing
}

// Build builds what the kind is made of, only once.
func (k *Kind) Build(ctx context.Context, h *Host) error {
	for _, manifest := range k.built {
		if _, err := h.build(ctx, manifest()); err != nil {
			return err
		}
	}
	if k.Name == study.Etcd {
		m, err := h.Catalog.Get("go/etcd")
		if err != nil {
			return err
		}
		_, err = h.build(ctx, m)
		return err
	}
	return nil
}

// Missing is the error for a kind whose tools this machine lacks.
func Missing(kind string) error {
	k, _ := KindOf(kind)
	var what []string
	for _, need := range k.Lacks() {
		what = append(what, fmt.Sprintf("%s (%s)", need.Command, need.Install))
	}
	return i18n.Errorf("service.missing", "this machine lacks %s; dyno services install %s says what installs it", i18n.Names(what...), kind)
}
