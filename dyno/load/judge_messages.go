package load

import (
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// judgeMessages names the faults of what was listened to.
func (r *Result) judgeMessages(spec *Spec, add func(finding.Name, finding.Validity, i18n.Message)) {
	m := &r.Total.Messages
	if m.Missed > 0 {
		add(finding.MissedEvents, finding.Valid, i18n.New("load.events-missed", "%d events did not come, by the ids of those that did (%d): the server has dropped them, or did not repeat them when streams were taken up again", m.Missed, m.In))
	}
	if m.Ahead > 0 {
		add(finding.StampsAhead, finding.Suspect, i18n.New("load.stamps-in-future", "%d of %d events were stamped later than they came: server and generator are not on one clock, or the stamp is another time than that of its sending", m.Ahead, m.In))
	}
}
