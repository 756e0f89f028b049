package service

import (
	"bytes"
	"slices"

	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// logMost is how much of a part's log is kept, bytes; of all its starts together.
const logMost = 256 << 10

// Log is what a part of a service has printed: of more than 256 KiB the beginning and the end.
type Log struct {
	Name string // the part's, such as "postgres.replica"
	Text []byte // without the passwords that dyno made for it
}

// Logs are what the services have printed since they were started, those that were restarted
// with a part for each start, in this order.
func (s *Set) Logs() (list []Log) {
	if s == nil {
		return nil
	}
	list = slices.Clone(s.gone)
	for _, in := range s.instances {
		list = joined(list, in.logs())
	}
	return list
}

// joined are logs followed by those of later starts.
func joined(list, later []Log) []Log {
	for _, one := range later {
		at := slices.IndexFunc(list, func(l Log) bool { return l.Name == one.Name })
		if at < 0 {
			list = append(list, one)
			continue
		}
		both := slices.Concat(list[at].Text, []byte("\n--- restarted ---\n"), one.Text)
		list[at].Text, _ = subject.HeadAndTail(bytes.NewReader(both), int64(len(both)), logMost) // reading memory can't fail
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

// logs are those of an instance's parts that have printed something.
func (in *Instance) logs() (list []Log) {
	secrets := in.hidden()
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
