package measure

import (
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/probe"
	"dyno.example/internal/i18n"
)

// machineOf is a second of a machine with so many CPUs on which programs used the
// times given, by CPU.
func machineOf(cpus int, used map[int]time.Duration) *probe.Machine {
	m := &probe.Machine{TasksByCPU: make([]time.Duration, cpus), IRQByCPU: make([]time.Duration, cpus), Programs: &probe.Programs{}}
	for cpu, d := range used {
		m.TasksByCPU[cpu] += d
		m.Programs.CPU += d
		m.Programs.Top = append(m.Programs.Top, probe.Program{PID: 100 + cpu, Name: "hog", CPU: d, On: []int{cpu}})
	}
	return m
}

// cpusFrom are n CPUs from the first on.
func cpusFrom(first, n int) (cpus []int) {
	for i := range n {
		cpus = append(cpus, first+i)
	}
	return cpus
}

func TestOtherLoadIsJudgedOnTheCPUsInUse(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		cpus               int
		generator, subject []int
		used               map[int]time.Duration // by others
		waited             time.Duration
		want               finding.Validity
		says               string
	}{
		"quiet":                              {2, []int{0}, []int{1}, nil, 0, finding.Valid, ""},
		"little":                             {2, []int{0}, []int{1}, map[int]time.Duration{1: 140 * ms}, 140 * ms, finding.Valid, ""},
		"some":                               {2, []int{0}, []int{1}, map[int]time.Duration{1: 160 * ms}, 160 * ms, finding.Suspect, "16 % of a CPU on CPU 1, of the subject (limit 15 %): hog (pid 101) 16 % on CPU 1; threads of the generator and the server waited 160ms"},
		"much":                               {2, []int{0}, []int{1}, map[int]time.Duration{0: 310 * ms}, 300 * ms, finding.Invalid, "CPU 0, of the generator"},
		"a hog on one of the subject's 16":   {20, cpusFrom(0, 4), cpusFrom(4, 16), map[int]time.Duration{9: 990 * ms}, 500 * ms, finding.Invalid, "the 16 CPUs of the subject"},
		"a hog there that nobody waited for": {20, cpusFrom(0, 4), cpusFrom(4, 16), map[int]time.Duration{9: 990 * ms}, 2 * ms, finding.Suspect, "pid 109"},
		"a hog elsewhere":                    {20, cpusFrom(0, 4), cpusFrom(4, 8), map[int]time.Duration{15: 1000 * ms, 16: 1000 * ms}, 100 * ms, finding.Valid, ""},
		"one elsewhere and one here":         {20, cpusFrom(0, 1), cpusFrom(4, 1), map[int]time.Duration{15: 1000 * ms, 4: 400 * ms}, 100 * ms, finding.Invalid, "hog (pid 104) 40 % on CPU 4"},
	} {
		o := NewOthers(machineOf(c.cpus, c.used), time.Second, Use{"the generator", c.generator, 0}, Use{"the subject", c.subject, 0})
		o.Waited = c.waited
		f, found := o.Finding(3)
		if !found {
			f.Validity = finding.Valid
		}
		if f.Validity != c.want || !strings.Contains(f.Detail.String(), c.says) || strings.Contains(f.Detail.String(), "pid 115") {
			t.Errorf("%s: %+v, want %s with %q", name, f, c.want, c.says)
		}
	}
}

// Of a server that dyno did not start, programs may be a part. Those that were as
// busy before the load aren't.
func TestOtherLoadBesideAForeignServer(t *testing.T) {
	for before, want := range map[time.Duration]finding.Validity{0: finding.Suspect, 100 * time.Millisecond: finding.Suspect, 900 * time.Millisecond: finding.Invalid} {
		o := NewOthers(machineOf(2, map[int]time.Duration{1: 900 * time.Millisecond}), time.Second, Use{"both", []int{0, 1}, 0})
		o.Foreign, o.Before, o.Waited = true, before, time.Second
		f, _ := o.Finding(0)
		if f.Validity != want || strings.Contains(f.Detail.String(), "may belong to the server") != (before == 0) {
			t.Errorf("%v of it was there before: %+v, want %s", before, f, want)
		}
	}
}

// Whether the kernel counts interrupts as time of the program that they interrupt
// or not, a generator that receives a lot is not taken for somebody else.
func TestInterruptsAreNoOtherLoad(t *testing.T) {
	apart, within := machineOf(1, nil), machineOf(1, nil)
	apart.TasksByCPU[0], apart.IRQByCPU[0] = 500*time.Millisecond, 400*time.Millisecond
	within.TasksByCPU[0], within.IRQByCPU[0] = 500*time.Millisecond, 400*time.Millisecond
	for name, o := range map[string]*Others{
		"apart":  NewOthers(apart, time.Second, Use{"the generator", []int{0}, 500 * time.Millisecond}),
		"within": NewOthers(within, time.Second, Use{"the generator", []int{0}, 900 * time.Millisecond}),
	} {
		if f, found := o.Finding(0); found {
			t.Errorf("%s: %+v", name, f)
		}
	}
	// A program that is seen is one in either case.
	apart.Programs.CPU = 350 * time.Millisecond
	if f, _ := NewOthers(apart, time.Second, Use{"the generator", []int{0}, 500 * time.Millisecond}).Finding(0); f.Validity != finding.Invalid && f.Validity != finding.Suspect {
		t.Errorf("a program apart from interrupts: %+v", f)
	}
}

// Where names can't be had it says so; ends of names can't break the line.
func TestOtherLoadSaysWhatItCannotTell(t *testing.T) {
	m := machineOf(1, map[int]time.Duration{0: time.Second})
	m.Programs = nil
	o := NewOthers(m, time.Second, Use{"both", []int{0}, 0})
	o.Unknown = i18n.Verbatim("processes are hidden")
	if f, _ := o.Finding(0); !strings.Contains(f.Detail.String(), "by whom can't be told: processes are hidden") {
		t.Errorf("%+v", f)
	}
	if got := Describe(&probe.Program{PID: 5, Name: "a\nb\x1b[", CPU: time.Second}, 2*time.Second); got.String() != `a\nb\x1b[ (pid 5) 50 %` {
		t.Errorf("got %q", got)
	}
	var none *Others
	if f, found := none.Finding(0); found {
		t.Errorf("nothing known: %+v", f)
	}
}

// Of two CPUs nobody uses more than two, whatever was counted in a short time.
func TestOthersUseNoMoreThanThereIs(t *testing.T) {
	o := &Others{Length: 90 * time.Millisecond, Parts: []OthersPart{{Use: "both", CPUs: []int{0, 1}, Used: 280 * time.Millisecond}}}
	if f, found := o.Finding(0); !found || !strings.Contains(f.Detail.String(), "used 200 % of a CPU on the 2 CPUs") {
		t.Errorf("%+v", f)
	}
}

// Of a load before which nobody looked it is not said that others were idle then.
func TestOthersThatNobodyLookedFor(t *testing.T) {
	for blind, want := range map[bool]string{true: "nobody looked whether they were busy", false: "they were not busy before the load"} {
		o := NewOthers(machineOf(2, map[int]time.Duration{1: 400 * time.Millisecond}), time.Second, Use{"both", []int{0, 1}, 0})
		o.Foreign, o.Blind, o.Waited = true, blind, 100*time.Millisecond
		f, found := o.Finding(0)
		if !found || f.Validity != finding.Suspect || !strings.Contains(f.Detail.String(), want) {
			t.Errorf("blind %v: %+v", blind, f)
		}
	}
}
