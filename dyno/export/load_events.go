package export

import (
	"fmt"
	"io"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// LoadEvents writes the events of a load as they happen.
type LoadEvents struct {
	name   string
	file   io.Closer // nil for standard output
	events *Events
	phases *profile.Timetable // nil unless the load has phases
}

// NewLoadEvents writes to w, which has the name in errors, and closes it at the end
// if it is to be closed.
func NewLoadEvents(name string, w io.Writer, file io.Closer) *LoadEvents {
	return &LoadEvents{name: name, file: file, events: NewEvents(w)}
}

// Close waits until all is written. The error is that of the first event that
// could not be.
func (s *LoadEvents) Close() error {
	err := s.events.Close()
	if s.file != nil {
		if closed := s.file.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		return fmt.Errorf("writing events to %s: %w", s.name, err)
	}
	return nil
}

// Events of a load. Fields are added over time, never renamed.
type (
	eventHead struct {
		Event string    `json:"event"` // "started", "window", "finding", "finished" or "failed"
		Time  time.Time `json:"time"`
	}
	startedEvent struct {
		eventHead
		Target      string       `json:"target"`
		Method      string       `json:"method"`
		Mode        profile.Mode `json:"mode"`
		Connections int          `json:"connections"`
		Rate        float64      `json:"rate,omitempty"`
		Seed        uint64       `json:"seed"`
		Warmup      float64      `json:"warmup_s"`
		Duration    float64      `json:"duration_s,omitempty"`
		MaxRequests uint64       `json:"max_requests,omitempty"`
		Dyno        string       `json:"dyno"`
	}
	windowEvent struct {
		eventHead // its time is the window's end
		windowJSON
	}
	findingEvent struct {
		eventHead
		Second *int             `json:"second,omitempty"` // the window; absent if it is about the load as a whole
		Name   finding.Name     `json:"name"`
		Level  finding.Validity `json:"level"`
		Detail i18n.Message     `json:"detail"`
		// Accepted says that it lowers nothing, as somebody accepted it by its name.
		Accepted bool `json:"accepted,omitempty"`
	}
	finishedEvent struct {
		eventHead
		loadJSON
		Windows *int `json:"windows,omitempty"` // hides those of loadJSON, which had their own events
	}
	failedEvent struct {
		eventHead
		Error string `json:"error"`
	}
)

// Started writes that a load has begun; version is dyno's.
func (s *LoadEvents) Started(spec *load.Spec, measured time.Time, version string) {
	if len(spec.Profile.Phases) > 0 {
		s.phases = spec.Profile.Timetable(spec.Warmup)
	}
	s.events.Add(startedEvent{
		eventHead: eventHead{"started", measured.Add(-spec.Warmup)}, Target: Target(spec), Method: spec.Requests[0].Method,
		Mode: spec.Profile.Mode, Connections: spec.Profile.Connections, Rate: spec.Profile.Rate, Seed: spec.Seed,
		Warmup: spec.Warmup.Seconds(), Duration: spec.Duration.Seconds(), MaxRequests: spec.MaxRequests, Dyno: version,
	})
}

// Window writes a finished window and its findings.
func (s *LoadEvents) Window(w *measure.Window, ended time.Time) {
	event := windowEvent{eventHead{"window", ended}, windowOf(w, SecondOf(w))}
	if s.phases != nil {
		event.Phase = s.phases.PhaseAt(time.Duration(w.Index)*time.Second) + 1
	}
	s.events.Add(event)
	for _, f := range w.Findings {
		s.events.Add(findingEvent{eventHead: eventHead{"finding", ended}, Second: &w.Index, Name: f.Name, Level: f.Validity, Detail: f.Detail, Accepted: f.Accepted})
	}
}

// Failed writes why there was no load.
func (s *LoadEvents) Failed(err error) {
	s.events.Add(failedEvent{eventHead{"failed", time.Now()}, err.Error()})
}

// Finished writes what the load came to.
func (s *LoadEvents) Finished(l *Load) {
	now := time.Now()
	for _, f := range l.Result.Findings {
		s.events.Add(findingEvent{eventHead: eventHead{"finding", now}, Name: f.Name, Level: f.Validity, Detail: f.Detail, Accepted: f.Accepted})
	}
	s.events.Add(finishedEvent{eventHead: eventHead{"finished", now}, loadJSON: objectOf(l)})
}
