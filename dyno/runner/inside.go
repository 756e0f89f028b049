package runner

import (
	"maps"

	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// inside is where a subject reports what goes on inside it.
type inside struct {
	runtime *probe.RuntimeListener // nil if its runtime doesn't tell
	flights *probe.FlightListener  // nil if no traces are to be kept
	env     map[string]string      // that it must be started with
	remove  []func()
}

// listen listens for a contender that is to be started.
func (e *execution) listen(c *contender) (_ *inside, err error) {
	in := &inside{env: map[string]string{}}
	if c.URL != "" {
		return in, nil
	}
	if c.tells {
		var remove func()
		if in.runtime, remove, err = probe.ListenForRuntime(e.ready.scratch); err != nil {
			return nil, err
		}
		in.remove = append(in.remove, remove)
		maps.Copy(in.env, in.runtime.Env())
	}
	if e.runner.Study.Keeps(study.KeepFlight) {
		if in.flights, err = probe.ListenForFlight(e.ready.scratch); err != nil {
			in.close()
			return nil, err
		}
		in.remove = append(in.remove, func() { in.flights.Close() })
		maps.Copy(in.env, in.flights.Env())
	}
	return in, nil
}

// socketsOf is the port of the subject whose sockets are looked at; 0 for none.
func (e *execution) socketsOf(in *subject.Instance) int {
	if e.runner.Study.Explain || e.runner.Study.Keeps(study.KeepBuffers) {
		return in.Port()
	}
	return 0
}

// close ends it; the subject may be up or not.
func (in *inside) close() {
	for _, remove := range in.remove {
		remove()
	}
}
