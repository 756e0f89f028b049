package study

import (
	"time"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/stamp"
	"dyno.example/internal/i18n"
)

// Fields of what a load of messages, or of events, says.
var (
	webSocketFields = []string{"answers", "binary", "max_message", "stamp", "stamp_clock"}
	eventsFields    = []string{"stamp", "stamp_clock", "retry", "silence", "max_event"}
)

// messagesAt reads whether a load is of messages or of events, and how.
func messagesAt(f map[string]scope, k *request.Link) {
	if v, ok := f["websocket"]; ok {
		k.WebSocket = webSocketAt(v)
	}
	if v, ok := f["events"]; ok {
		k.Events = eventsAt(v)
	}
}

// isOn reads the short form, true or false; more is whether there are fields instead.
func isOn(at scope) (on, more bool) {
	if at.IsMapping() {
		return true, true
	}
	return at.Boolean(), false
}

func webSocketAt(at scope) *request.WebSocket {
	on, more := isOn(at)
	if !on {
		return nil
	}
	w := &request.WebSocket{}
	if !more {
		return w
	}
	f, _ := at.fields(webSocketFields...)
	if v, ok := f["answers"]; ok {
		w.Responses = request.Responses(v.oneOf(string(request.OneResponse), string(request.NoResponses)))
	}
	if v, ok := f["binary"]; ok {
		w.Binary = v.Boolean()
	}
	if v, ok := f["max_message"]; ok {
		w.MaxMessage = int64(v.Integer(1, request.MostMessage))
	}
	w.Stamp = stampAt(f)
	return w
}

func eventsAt(at scope) *request.Events {
	on, more := isOn(at)
	if !on {
		return nil
	}
	e := &request.Events{}
	if !more {
		return e
	}
	f, _ := at.fields(eventsFields...)
	if v, ok := f["retry"]; ok {
		e.Retry = v.Duration(time.Millisecond, time.Hour)
	}
	if v, ok := f["silence"]; ok {
		e.Silence = v.Duration(time.Millisecond, maxDuration)
	}
	if v, ok := f["max_event"]; ok {
		e.MaxEvent = int64(v.Integer(1, request.MostMessage))
	}
	e.Stamp = stampAt(f)
	return e
}

// stampAt reads where events are stamped; nil if it is not said.
func stampAt(f map[string]scope) *request.Stamp {
	where, stamped := f["stamp"]
	clock, clocked := f["stamp_clock"]
	if !stamped {
		if clocked {
			clock.Report(i18n.New("study.stamp-clock-alone", "a stamp's clock goes with a stamp"), i18n.New("study.add-field", "add: %s: %s", "stamp", "json:.at"))
		}
		return nil
	}
	s := &request.Stamp{Where: where.filled("")}
	if clocked {
		var names []string
		for _, c := range stamp.Clocks {
			names = append(names, string(c))
		}
		s.Clock = stamp.Clock(clock.oneOf(names...))
	}
	if s.Where == "" || clocked && s.Clock == "" {
		return nil // said
	}
	if _, err := s.Compile(); err != nil {
		where.Report(i18n.From(err))
		return nil
	}
	return s
}

// checkMessages reports what of loads of messages, or of events, does not go together
// with the requests.
func checkMessages(at scope, s *Study) {
	for i := range s.Loads {
		l := &s.Loads[i]
		k := &l.Link
		if k.WebSocket == nil && k.Events == nil {
			continue
		}
		err := k.Check()
		if err == nil && k.Listens() && l.Profile.Think.Mean > 0 {
			at.Report(i18n.New("study.load-without-think-time", "the load %s only listens, and has no think time", form.Quote(l.Name)), i18n.New("study.remove", "remove it"))
		}
		for j := range s.Requests {
			if r := &s.Requests[j]; err == nil && k.WebSocket != nil {
				err = r.CheckMessage(k.WebSocket, &s.Requests[0], at.in.env)
			} else if err == nil {
				err = r.CheckListening()
			}
		}
		if err != nil {
			at.Report(i18n.New("study.load", "the load %s: %v", form.Quote(l.Name), err))
		}
	}
}
