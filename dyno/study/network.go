package study

import (
	"time"

	"dyno.example/dyno/subject/link"
	"dyno.example/internal/i18n"
)

// leastRTT is the least round-trip time of a link: what its relay takes is more.
const leastRTT = 10 * time.Microsecond

// networkAt reads what lies between dyno and a subject.
func networkAt(at scope) *link.Link {
	f, understood := at.fields("rtt", "mtu", "pause", "every")
	l := &link.Link{}
	if v, ok := f["rtt"]; ok {
		l.RTT = v.Duration(leastRTT, link.MostRTT)
	} else if understood {
		at.Report(i18n.New("study.network-without-rtt", "the network has no round-trip time"), i18n.New("study.add-field", "add: %s: %s", "rtt", "10ms"))
	}
	if v, ok := f["mtu"]; ok {
		l.MTU = v.Integer(link.LeastMTU, link.MostMTU)
	}
	pausesAt(at, f, l)
	return l
}

// pausesAt reads how long the link stands still, and how often.
func pausesAt(at scope, f map[string]scope, l *link.Link) {
	pause, pauses := f["pause"]
	every, given := f["every"]
	if pauses {
		l.Pause = pause.Duration(link.LeastPause, link.MostPause)
	}
	if given {
		l.Every = every.Duration(link.LeastPause, link.MostEvery)
	}
	switch {
	case pauses && !given:
		at.Report(i18n.New("study.network-pause-without-every", "it isn't said how often the network pauses"), i18n.New("study.add-field", "add: %s: %s", "every", "500ms"))
	case given && !pauses:
		at.Report(i18n.New("study.network-every-without-pause", "it isn't said for how long the network pauses"), i18n.New("study.add-field", "add: %s: %s", "pause", "30ms"))
	case l.Every > 0 && l.Pause >= l.Every:
		pause.Report(i18n.New("study.network-pauses-always", "a network that pauses for %s of each %s lets nothing through", l.Pause, l.Every))
	}
}

// checkNetworks refuses networks beyond which a subject finds nothing that it needs.
func checkNetworks(at scope, s *Study) {
	for i := range s.Subjects {
		if subject := &s.Subjects[i]; subject.Network != nil {
			s.checkReach(at, subject)
		}
	}
}

// checkReach refuses a network of a subject that has something else to reach.
func (s *Study) checkReach(at scope, subject *Subject) {
	switch {
	case subject.Upstream != "":
		at.Report(i18n.New("study.network-and-upstream", "behind a network of its own %s doesn't reach its upstream", form.Quote(subject.Name)))
	case len(s.Services) > 0:
		at.Report(i18n.New("study.network-and-services", "behind a network of its own %s doesn't reach the services", form.Quote(subject.Name)))
	}
}

// noNetwork is the level that leaves a network out.
const noNetwork = "none"

func rttLevel(at scope, _ *Study) string {
	text, _ := at.Scalar()
	if text == noNetwork {
		return text
	}
	return at.Duration(leastRTT, link.MostRTT).String()
}

func checkRTT(e entry, _ string, s *Study) {
	checkStarted(e, s, i18n.New("study.network", "the network"))
	for i := range s.Subjects {
		s.checkReach(e.name, &s.Subjects[i])
	}
}

// applyRTT puts another network before the cell's subject than its own, which other cells have.
func applyRTT(c *Cell, _, level string, _ *Study) {
	if level == noNetwork {
		c.Network = nil
		return
	}
	other := link.Link{}
	if c.Network != nil {
		other = *c.Network
	}
	other.RTT, _ = time.ParseDuration(level)
	c.Network = &other
}

// networkOf is what lies between dyno and a subject; nil for loopback.
func networkOf(s *Study, subject string) *link.Link {
	for i := range s.Subjects {
		if s.Subjects[i].Name == subject {
			return s.Subjects[i].Network
		}
	}
	return nil
}

// describeNetwork says what lies before the cell's subject, if no level says it.
func (c *Cell) describeNetwork() (parts []i18n.Message) {
	if c.Network == nil {
		return nil
	}
	if _, level := c.Levels["rtt"]; !level {
		parts = append(parts, i18n.Format("rtt=%s", c.Network.RTT))
	}
	if c.Network.MTU > 0 {
		parts = append(parts, i18n.Format("mtu=%d", c.Network.MTU))
	}
	if c.Network.Pause > 0 {
		parts = append(parts, i18n.Format("pause=%s/%s", c.Network.Pause, c.Network.Every))
	}
	return parts
}
