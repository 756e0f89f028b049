package measure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/probe"
	"dyno.example/internal/i18n"
)

// Others is what programs other than the generator and the server under load did to
// the CPUs that these use, in a window.
type Others struct {
	Length time.Duration `json:"length"` // of the time that was looked at, ns
	Parts  []OthersPart  `json:"parts"`
	// Waited is how long threads of the generator and of the server were runnable
	// and did not run, ns; threads of one of them wait for each other, too.
	Waited   time.Duration   `json:"waited"`
	Programs []probe.Program `json:"programs,omitempty"` // that used most, wherever they ran
	// Foreign says that the server was not started by dyno, so that some of the
	// programs may be working for it. Before is what of their use was there before
	// the load already, ns: that is not done for the server.
	Foreign bool          `json:"foreign,omitempty"`
	Before  time.Duration `json:"before,omitempty"`
	// Blind says that there was no survey before the load.
	Blind bool `json:"blind,omitempty"`
	// ListenDrops is how many connections to servers on this machine were dropped because
	// a listen queue was full; only of a server here.
	ListenDrops uint64 `json:"listen_drops,omitempty"`
	// Unknown says why nothing, or not everything, is known; "" if all is.
	Unknown i18n.Message `json:"unknown,omitzero"`
}

// OthersPart is what others used of CPUs that have one use.
type OthersPart struct {
	Use  string        `json:"use"`  // whose CPUs: "the generator", "the subject" or "both"
	CPUs []int         `json:"cpus"` // ascending
	Used time.Duration `json:"used"` // CPU time, ns
}

// Limits of the finding "other-load"; dyno/docs/findings.md explains them. They are in
// CPUs, for the CPUs of one use. Of many, the kernel counts some parts of a
// percent wrongly on each, and one busy program does less harm.
const (
	othersSuspect     = 0.15 // of one CPU …
	othersSuspectEach = 0.025
	othersInvalid     = 0.30
	othersInvalidEach = 0.05 // … of each, if threads of the load or the server waited
	othersHarmless    = 0.15 // of each, whether they waited or not
	othersWaited      = 0.01 // of the time, by which they did
	othersTick        = 20 * time.Millisecond
)

// OthersSuspect is the share of a CPU from which on a window says that others used it.
const OthersSuspect = othersSuspect

// Finding names what others did, if it was too much. It is of one window.
func (o *Others) Finding(index int) (f finding.Finding, found bool) {
	if o == nil || o.Length <= 0 {
		return f, false
	}
	var said []i18n.Message
	level := finding.Valid
	for i := range o.Parts {
		p := &o.Parts[i]
		of, limit := p.level(o)
		if of == finding.Valid {
			continue
		}
		level = level.Worse(of)
		said = append(said, i18n.New("measure.cpu-limit", "%.0f %% of a CPU on %s (limit %.0f %%)", 100*p.share(o.Length), p.where(), 100*limit))
	}
	if level == finding.Valid {
		return f, false
	}
	detail := i18n.New("measure.others-cpu", "other programs used %s%s", i18n.And(said...), o.who())
	if o.Waited >= time.Millisecond {
		detail = i18n.Join(detail, i18n.New("measure.threads-waited-for-cpu", "; threads of the generator and the server waited %v for a CPU", o.Waited.Round(time.Millisecond)))
	}
	switch {
	case !o.Foreign || level != finding.Suspect || o.Before > 0:
	case o.Blind:
		detail = i18n.Join(detail, i18n.New("measure.others-not-watched-before", "; nobody looked whether they were busy before so short a load, and they may belong to the server"))
	default:
		detail = i18n.Join(detail, i18n.New("measure.others-idle-before", "; they were not busy before the load, so that they may belong to the server"))
	}
	return finding.Finding{Name: finding.OtherLoad, Validity: level, Detail: detail, Windows: []int{index}}, true
}

// Proven reports whether it is beyond doubt that others disturbed, and not a part of
// the server that was taken for others.
func (o *Others) Proven() bool {
	_, found := o.Finding(0)
	return found && (!o.Foreign || float64(o.Before) >= othersSuspect*float64(o.Length))
}

// share is what others used of the part, in CPUs. What the kernel counts in ticks
// is off by some, which matters in a short window only.
func (p *OthersPart) share(length time.Duration) float64 {
	used := p.Used
	if length < time.Second {
		used -= othersTick
	}
	// Of a short time too much may be counted: no more is there to be used.
	return min(max(0, float64(used)/float64(length)), float64(max(len(p.CPUs), 1)))
}

// level judges a part.
func (p *OthersPart) level(o *Others) (finding.Validity, float64) {
	n, share := float64(len(p.CPUs)), p.share(o.Length)
	suspect, invalid := max(othersSuspect, othersSuspectEach*n), max(othersInvalid, othersInvalidEach*n)
	if float64(o.Waited) < othersWaited*float64(o.Length) {
		invalid = max(invalid, othersHarmless*n)
	}
	switch {
	case share < suspect:
		return finding.Valid, suspect
	case share < invalid, o.Foreign && float64(o.Before) < invalid*float64(o.Length):
		return finding.Suspect, suspect
	}
	return finding.Invalid, invalid
}

func (p *OthersPart) where() i18n.Message {
	if len(p.CPUs) == 1 {
		return i18n.New("measure.cpu", "CPU %d, %s", p.CPUs[0], p.whose())
	}
	return i18n.New("measure.cpus", "the %d CPUs %s", len(p.CPUs), p.whose())
}

func (p *OthersPart) whose() i18n.Message {
	switch p.Use {
	case "both":
		return i18n.New("measure.for-both", "that generator and server use")
	case "the generator":
		return i18n.New("measure.of-generator", "of the generator")
	case "the subject":
		return i18n.New("measure.of-subject", "of the subject")
	case "the services":
		return i18n.New("measure.of-services", "of the services")
	case "the upstream":
		return i18n.New("measure.of-upstream", "of the upstream")
	}
	return i18n.Format("of %s", p.Use)
}

// who names the programs.
func (o *Others) who() i18n.Message {
	var names []i18n.Message
	for i := range o.Programs {
		if p := &o.Programs[i]; i < 3 && o.near(p) {
			names = append(names, Describe(p, o.Length))
		}
	}
	switch {
	case names != nil:
		return i18n.Join(": ", i18n.Enumerate(names...))
	case !o.Unknown.IsZero():
		return i18n.New("measure.others-unknown", ", by whom can't be told: %s", o.Unknown)
	}
	return i18n.New("measure.by-short-lived", ", by programs that came and went, or by the kernel")
}

// near reports whether a program was seen on one of the CPUs in use.
func (o *Others) near(p *probe.Program) bool {
	return len(p.On) == 0 || slices.ContainsFunc(o.Parts, func(part OthersPart) bool {
		return slices.ContainsFunc(p.On, func(cpu int) bool { return slices.Contains(part.CPUs, cpu) })
	})
}

// Describe names a program, with what it used in a time and where.
func Describe(p *probe.Program, length time.Duration) i18n.Message {
	name := fmt.Sprintf("%.40q", p.Name)
	name = name[1 : len(name)-1]
	share := 100 * float64(p.CPU) / float64(max(length, 1))
	if len(p.On) == 0 {
		return i18n.New("measure.program", "%s (pid %d) %.0f %%", name, p.PID, share)
	}
	cpus := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(p.On)), ","), "[]")
	return i18n.New("measure.program-on", "%s (pid %d) %.0f %% on CPU %s", name, p.PID, share, cpus)
}

// Use is a set of CPUs and what of their time is accounted for.
type Use struct {
	Name string // as in [OthersPart]
	CPUs []int
	Own  time.Duration // CPU time of the programs that the CPUs are for, ns
}

// NewOthers derives from a machine's counters what other programs used. Some kernels
// count the time in which a program is interrupted as the program's, others don't, and
// none says which: the use of single programs decides between the two as far as it can.
func NewOthers(m *probe.Machine, length time.Duration, uses ...Use) *Others {
	o := &Others{Length: length}
	visible := time.Duration(0)
	if m.Programs != nil {
		o.Programs, visible = m.Programs.Top, m.Programs.CPU
	}
	for _, u := range uses {
		var tasks, irq time.Duration
		for _, cpu := range u.CPUs {
			if cpu < len(m.TasksByCPU) && cpu < len(m.IRQByCPU) {
				tasks, irq = tasks+m.TasksByCPU[cpu], irq+m.IRQByCPU[cpu]
			}
		}
		low := max(0, tasks-u.Own)
		high := max(low, tasks+irq-u.Own)
		o.Parts = append(o.Parts, OthersPart{u.Name, u.CPUs, min(max(visible, low), high)})
	}
	return o
}
