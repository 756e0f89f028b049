package study

import (
	"strconv"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// linkFields are the fields of a load that say how it connects and waits.
var linkFields = []string{"reuse", "max_age", "sources", "fast_open", "nagle", "quick_ack", "read_rate", "http2", "streams", "pacing", "websocket", "events"}

// linkAt reads them into l, whose profile is known.
func linkAt(f map[string]scope, l *Load) {
	k := &l.Link
	if v, ok := f["reuse"]; ok {
		k.Reuse, k.PerConnection = reuseAt(v)
	}
	if v, ok := f["max_age"]; ok {
		k.MaxAge = v.Duration(minAge, maxDuration)
	}
	if v, ok := f["sources"]; ok {
		for _, item := range v.list() {
			addrs, err := request.ParseSources(item.filled(""))
			if err != nil {
				item.Report(i18n.From(err))
			}
			k.Sources = append(k.Sources, addrs...)
		}
	}
	for name, into := range map[string]*bool{"fast_open": &k.FastOpen, "nagle": &k.Nagle, "quick_ack": &k.QuickAck} {
		if v, ok := f[name]; ok {
			*into = v.Boolean()
		}
	}
	if v, ok := f["read_rate"]; ok {
		k.ReadRate = readRateAt(v)
	}
	if v, ok := f["http2"]; ok && v.Boolean() {
		k.Streams = 1
	}
	if v, ok := f["streams"]; ok {
		n := v.Integer(1, request.MostStreams)
		if k.Streams == 0 && !v.in.calls {
			v.Report(i18n.New("study.http11-one-request", "over HTTP/1.1 a connection has one request under way"), i18n.New("study.make-load-http2", "give that load http2: true"))
		} else {
			k.Streams = n
		}
	}
	messagesAt(f, k)
	if k.Listens() && l.Profile.Mode == profile.Open {
		for _, name := range []string{"websocket", "events"} {
			if v, ok := f[name]; ok {
				v.Report(i18n.New("study.listening-takes-no-rate", "a load that only listens has no rate: how much comes is the server's to say"), i18n.New("study.make-load-closed", "give that load closed: {connections: …}"))
			}
		}
	}
	if v, ok := f["pacing"]; ok {
		l.Pacing = pacingAt(v)
		if l.Profile.Mode == profile.Closed {
			v.Report(i18n.New("study.closed-has-no-schedule", "a closed load waits for no schedule"), i18n.New("study.make-load-open", "give that load open: {rate: …}"))
		}
	}
}

// readRateAt reads how many bytes a second clients take.
func readRateAt(at scope) int64 {
	text, _ := at.Scalar()
	n, ok := parseSize(text)
	if !ok || n < request.LeastReadRate || n > request.MostReadRate {
		at.Report(i18n.New("study.expected-read-rate", "expected bytes a second from 1KiB to 1GiB, got %s", at.Describe()), i18n.Verbatim("read_rate: 1MiB"))
		return 0
	}
	return n
}

// reuseAt reads a kind of reuse, or a number of requests.
func reuseAt(at scope) (request.Reuse, int) {
	text := reuseText(at)
	if text == "" {
		return "", 0
	}
	kind, n, err := request.ParseReuse(text)
	if err != nil {
		at.Report(i18n.From(err))
	}
	return kind, n
}

// reuseText reads it as it is written, "" after a problem.
func reuseText(at scope) string {
	text, _ := at.Scalar()
	if n, err := strconv.Atoi(text); err == nil {
		if at.Integer(1, maxPerConnection) != n {
			return ""
		}
		return text
	}
	return at.oneOf(string(request.PerWorker), string(request.Shared), string(request.NoReuse))
}

func pacingAt(at scope) profile.Pacing {
	return profile.Pacing(at.oneOf(string(profile.AutoPacing), string(profile.SpinPacing), string(profile.TimerPacing)))
}
