package service

import (
	"slices"

	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// logMost is how much of a part's log is kept, bytes; of all its starts together.
const logMost = 256 << 10

// Log is what a part of a service has printed: of more than 256 KiB the beginning and the end.
type Log struct {
	Name string // the part's, such as "postgres.replica"
	Text []byte // without the passwords that dyno made for it
}

// Logs are what the services have printed since they were started, those that were started anew
// with a part for each start, in this order.
func (s *Set) Logs() (list []Log) {
	if s == nil {
		return nil
	}
	all := slices.Clone(s.gone)
	for _, in := range s.instances {
		all = append(all, in.logs()...)
	}
	for _, one := range all {
		at := slices.IndexFunc(list, func(l Log) bool { return l.Name == one.Name })
		if at < 0 {
			list = append(list, one)
			continue
		}
		list[at].Text = bounded(slices.Concat(list[at].Text, []byte("\n--- started anew ---\n"), one.Text))
	}
	return list
}

// withLog says where the log of a part that has failed will be.
func (h *Host) withLog(part string, err error) error {
	if h.LogFile == nil {
		return err
	}
	return i18n.Errorf("service.log-is-in", "%w\nwhat it printed is in %s of the run", err, h.LogFile(part))
}

// bounded takes the middle out of what is too long.
func bounded(text []byte) []byte {
	if len(text) <= logMost {
		return text
	}
	const note = "\n… left out …\n"
	half := (logMost - len(note)) / 2
	return slices.Concat(text[:half], []byte(note), text[len(text)-half:])
}

// logs are those of an instance's parts that have printed something.
func (in *Instance) logs() (list []Log) {
	secrets := study.Secrets{}
	secrets.AddEnv(in.env)
	for _, p := range in.parts {
		if p.in == nil {
			continue
		}
		text, err := p.in.Log(logMost)
		if err != nil || len(text) == 0 {
			continue // it has gone with its folder: nothing is left to keep
		}
		list = append(list, Log{Name: p.Name, Text: []byte(secrets.Hide(string(text)))})
	}
	return list
}
