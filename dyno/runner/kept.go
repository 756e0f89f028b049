package runner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/probe/pprof"
	"dyno.example/dyno/probe/sampled"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// keeping gathers what a trial keeps for other tools while its load is on.
type keeping struct {
	study    *study.Study
	secrets  study.Secrets
	name     string // the subject's
	duration time.Duration
	sampler  *sampled.Sampler // nil if it isn't wanted, or not possible
	unable   error            // why it isn't
	flights  *flights         // nil if they aren't wanted
	captured *captured        // nil if packets aren't wanted
	fetcher  *fetcher         // nil if the subject's own profiles aren't wanted
	measured int64            // when the measured time began, CLOCK_MONOTONIC in ns; 0 before
}

// errNoneSlow is why nothing was kept of slow requests.
var errNoneSlow = errors.New("no request was slow, of those that were drawn")

// errUp is why a subject can't be recorded.
var errUp = errors.New("a service that is already up isn't told where to connect")

// keep begins it. The subject is up, and connects to recorder if it has a flight recorder;
// nil if that isn't wanted.
func (e *execution) keep(ctx context.Context, cell *study.Cell, in *subject.Instance, duration time.Duration, recorder *probe.FlightListener) *keeping {
	k := &keeping{study: e.runner.Study, secrets: e.runner.Plan.Secrets, name: cell.Subject, duration: duration}
	if recorder != nil {
		k.flights = newFlights(recorder)
	}
	if k.study.Keeps(study.KeepPackets) {
		k.captured = &captured{port: in.Port()}
	}
	contender := e.ready.contenders[cell.Subject]
	if k.study.Keeps(study.KeepCPU) {
		cpus := e.places.ofSubject(contender, cell) // not the generator's, which would be in the way there
		if contender.URL != "" {
			cpus = e.places.online
		}
		roots := processesOf(ctx, in)
		k.sampler, k.unable = sampled.Start(sampled.Config{
			CPUs: cpus, Moments: true, Wanted: func(pid int, _ string) bool { return sampled.Below(pid, roots) },
		})
	}
	if base := contender.PprofURL(in.URL()); base != "" && k.study.Keeps(study.KeepPprof) {
		trust, err := e.ready.starter.certificate.metricsTrust(contender, cell, base)
		k.fetcher = newFetcher(base, trust, err)
	}
	return k
}

// begin is called when it is known when the measured time begins.
func (k *keeping) begin(measured int64) {
	k.measured = measured
	if k.captured != nil {
		k.captured.begin(measured)
	}
	if k.fetcher != nil {
		k.fetcher.begin(measured, k.duration)
	}
}

// onSlow is told of slow requests; nil if nobody wants to know.
func (k *keeping) onSlow() func(*evidence.Record) {
	if k.flights == nil {
		return nil
	}
	return k.flights.slow
}

// end puts into the trial what was gathered, when its load has ended and its evidence is
// there. The subject may have died.
func (k *keeping) end(ctx context.Context, t *archive.Trial) {
	switch {
	case k.flights != nil:
		k.flights.end(t, k.secrets)
	case k.study.Keeps(study.KeepFlight):
		t.Lack(archive.FlightTrace, errUp)
	}
	if k.captured != nil {
		k.captured.end(t)
	}
	if k.fetcher != nil {
		k.fetcher.end(ctx, t, k.secrets)
	}
	if k.unable != nil {
		t.Lack(archive.CPUProfile, k.unable)
	}
	if k.sampler == nil {
		return
	}
	processes, lost := k.sampler.Stop()
	until := k.measured + int64(k.duration)
	inTime := func(m sampled.Moment) bool { return k.measured > 0 && m.At >= k.measured && m.At < until }
	var remarks []string
	if lost > 0 {
		remarks = append(remarks, fmt.Sprintf("%d samples were lost", lost))
	}
	k.profile(t, archive.CPUProfile, processes, inTime, remarks)
	if t.Evidence == nil {
		return
	}
	k.apart(t, processes, remarks)
}

// apart keeps what ran for slow requests and for others, as evidence of them tells.
func (k *keeping) apart(t *archive.Trial, processes []*sampled.Process, remarks []string) {
	slow, others := runs{}, runs{}
	for i := range t.Evidence.Records {
		if r := &t.Evidence.Records[i]; r.Class == evidence.Tail {
			slow.add(r)
		} else {
			others.add(r)
		}
	}
	if len(slow) == 0 {
		t.Lack(archive.SlowProfile, errNoneSlow)
	} else {
		k.profile(t, archive.SlowProfile, processes, slow.sorted().holds, append(remarks, "only what ran for slow requests of which there is evidence"))
	}
	k.profile(t, archive.OtherProfile, processes, others.sorted().holds, append(remarks, "only what ran for ordinary requests of which there is evidence"))
}

// profile keeps that of the samples that are wanted.
func (k *keeping) profile(t *archive.Trial, kind archive.Kind, processes []*sampled.Process, wanted func(sampled.Moment) bool, remarks []string) {
	p := sampled.Profile(processes, wanted)
	if len(p.Samples) == 0 {
		t.Lack(kind, errors.New("no sample fell into that time"))
		return
	}
	p.Time, p.Duration, p.Program, p.Comments = t.Started, k.duration, k.name, remarks
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Lack(kind, err)
		return
	}
	t.Keep(kind, b.Bytes(), nil, nil)
}

// runs are when threads ran for requests.
type runs map[int32][]stretch

// stretch is a part of a thread's time, in ns of CLOCK_MONOTONIC.
type stretch struct{ from, to int64 }

// add takes those of a request.
func (r runs) add(of *evidence.Record) {
	for i := range of.Intervals {
		if v := &of.Intervals[i]; v.Stage == evidence.OnCPU && v.Thread != 0 {
			r[v.Thread] = append(r[v.Thread], stretch{of.Intended + v.From, of.Intended + v.To})
		}
	}
}

func (r runs) sorted() runs {
	for _, list := range r {
		slices.SortFunc(list, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	}
	return r
}

// holds reports whether a sample was taken while its thread ran for one of the requests.
// A thread that runs for one doesn't run for another: stretches of a thread don't overlap,
// but for requests that share a connection, which end at different times.
func (r runs) holds(m sampled.Moment) bool {
	const look = 8 // so many that begin before it
	list := r[m.Thread]
	at, _ := slices.BinarySearchFunc(list, m.At+1, func(s stretch, t int64) int { return cmp.Compare(s.from, t) })
	for i := at - 1; i >= max(0, at-look); i-- {
		if m.At < list[i].to {
			return true
		}
	}
	return false
}

// readProfile says what is wrong with a profile that a subject sent.
func readProfile(content []byte) error {
	_, err := pprof.Read(bytes.NewReader(content))
	return err
}
