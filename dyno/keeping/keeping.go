// Package keeping gathers, while a load is on, what is kept of it for other tools: profiles of
// the server, execution traces, the headers of its packets.
package keeping

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/evidence/collect"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/probe/offcpu"
	"dyno.example/dyno/probe/packets"
	"dyno.example/dyno/probe/pprof"
	"dyno.example/dyno/probe/sampled"
	"dyno.example/dyno/study"
	"dyno.example/nano/wire/clock"
)

// Config says what is kept, and of whom.
type Config struct {
	What      []study.Kept
	Name      string // the server's, for who reads its profiles
	Port      int    // where it listens
	Processes []int  // its first ones; those below them belong to it
	CPUs      []int  // where it may run
	// Duration is how long the measured time is meant to be; 0 if that isn't known, and then it
	// goes on until End.
	Duration time.Duration
	// Pprof is where it offers its own profiles, without a slash at its end; empty if it doesn't.
	Pprof string
	// Trust is for that. Untrusted is why it can't be asked.
	Trust     *tls.Config
	Untrusted error
	// Recorder is where its flight recorder connects to; nil if it has none.
	Recorder *probe.FlightListener
	// Secrets are what no file may hold.
	Secrets study.Secrets
}

func (c *Config) keeps(what study.Kept) bool { return slices.Contains(c.What, what) }

// Keeping gathers until End.
type Keeping struct {
	config   Config
	sampler  *sampled.Sampler // nil if it isn't wanted, or not possible
	unable   error            // why it isn't
	offCPU   *offcpu.Watcher  // nil if it isn't wanted, or not possible
	cantSee  error            // why it isn't
	flights  *flights         // nil if they aren't wanted
	captured *captured        // nil if packets aren't wanted
	fetcher  *fetcher         // nil if the server's own profiles aren't wanted
	measured int64            // when the measured time began, CLOCK_MONOTONIC in ns; 0 before
}

// errNoneSlow is why nothing was kept of slow requests.
var errNoneSlow = errors.New("no request was slow, of those that were drawn")

// errUp is why a server can't be recorded.
var errUp = errors.New("a service that is already up isn't told where to connect")

// Start begins it. The server is up. It always succeeds: what isn't possible is missing at the
// end, with the reason.
func Start(c Config) *Keeping {
	k := &Keeping{config: c}
	if c.Recorder != nil {
		k.flights = newFlights(c.Recorder)
	}
	if c.keeps(study.KeepPackets) {
		k.captured = &captured{port: c.Port}
	}
	if c.keeps(study.KeepCPU) {
		k.sampler, k.unable = sampled.Start(sampled.Config{
			CPUs: c.CPUs, Moments: true, Wanted: func(pid int, _ string) bool { return sampled.Below(pid, c.Processes) },
		})
	}
	if c.keeps(study.KeepOffCPU) {
		k.offCPU, k.cantSee = offcpu.Start(collect.Trees(c.Processes))
	}
	if c.Pprof != "" && c.keeps(study.KeepPprof) {
		k.fetcher = newFetcher(c.Pprof, c.Trust, c.Untrusted)
	}
	return k
}

// Unable is what of it isn't possible here, as for want of rights; nil if all is.
func (k *Keeping) Unable() error {
	err := errors.Join(k.unable, k.cantSee)
	if k.captured == nil {
		return err
	}
	c, unable := packets.Start(k.config.Port)
	if unable == nil {
		_, _, _, unable = c.Stop()
	}
	return errors.Join(err, unable)
}

// Begin is called when it is known when the measured time begins, in ns of CLOCK_MONOTONIC.
func (k *Keeping) Begin(measured int64) {
	k.measured = measured
	if k.captured != nil {
		k.captured.begin(measured)
	}
	if k.fetcher != nil {
		k.fetcher.begin(measured, k.config.Duration)
	}
}

// OnSlow is called with slow requests; nil if they aren't needed.
func (k *Keeping) OnSlow() func(*evidence.Record) {
	if k.flights == nil {
		return nil
	}
	return k.flights.slow
}

// End puts into the trial what was gathered, when its load has ended and its evidence is
// there. The server may have died.
func (k *Keeping) End(ctx context.Context, t *archive.Trial) {
	until := k.measured + int64(k.config.Duration)
	if k.config.Duration == 0 {
		until = clock.Now()
	}
	switch {
	case k.flights != nil:
		k.flights.end(t, k.config.Secrets)
	case k.config.keeps(study.KeepFlight):
		t.Lack(archive.FlightTrace, errUp)
	}
	if k.captured != nil {
		k.captured.end(t)
	}
	if k.fetcher != nil {
		k.fetcher.end(ctx, t, k.config.Secrets)
	}
	slow, others := requestsOf(t)
	k.onCPU(t, until, slow, others)
	k.endOffCPU(t, until, slow, others)
}

// requestsOf are the requests that there is evidence of; nil if none is collected.
func requestsOf(t *archive.Trial) (slow, others []*evidence.Record) {
	if t.Evidence == nil {
		return nil, nil
	}
	for i := range t.Evidence.Records {
		if r := &t.Evidence.Records[i]; r.Class == evidence.Tail {
			slow = append(slow, r)
		} else {
			others = append(others, r)
		}
	}
	return slow, others
}

// Remarks of profiles.
const (
	ofSlow   = "only what ran for slow requests of which there is evidence"
	ofOthers = "only what ran for ordinary requests of which there is evidence"
)

// onCPU keeps what ran in the measured time, and of that what ran for slow requests and for
// others, as evidence of them tells.
func (k *Keeping) onCPU(t *archive.Trial, until int64, slow, others []*evidence.Record) {
	if k.unable != nil {
		t.Lack(archive.CPUProfile, k.unable)
	}
	if k.sampler == nil {
		return
	}
	processes, lost := k.sampler.Stop()
	inTime := func(m sampled.Moment) bool { return k.measured > 0 && m.At >= k.measured && m.At < until }
	var remarks []string
	if lost > 0 {
		remarks = append(remarks, fmt.Sprintf("%d samples were lost", lost))
	}
	k.profile(t, archive.CPUProfile, processes, inTime, remarks)
	if t.Evidence == nil {
		return
	}
	if ran := stretchesOf(slow, runs); len(ran) == 0 {
		t.Lack(archive.SlowProfile, errNoneSlow)
	} else {
		k.profile(t, archive.SlowProfile, processes, ran.holds, append(remarks, ofSlow))
	}
	k.profile(t, archive.OtherProfile, processes, stretchesOf(others, runs).holds, append(remarks, ofOthers))
}

// profile keeps that of the samples that are wanted.
func (k *Keeping) profile(t *archive.Trial, kind archive.Kind, processes []*sampled.Process, wanted func(sampled.Moment) bool, remarks []string) {
	p := sampled.Profile(processes, wanted)
	if len(p.Samples) == 0 {
		t.Lack(kind, errors.New("no sample fell into that time"))
		return
	}
	k.write(t, kind, p, remarks)
}

// write keeps a profile.
func (k *Keeping) write(t *archive.Trial, kind archive.Kind, p *pprof.Profile, remarks []string) {
	p.Time, p.Duration, p.Program, p.Comments = t.Started, k.config.Duration, k.config.Name, remarks
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Lack(kind, err)
		return
	}
	t.Keep(kind, b.Bytes(), nil, nil)
}

// readProfile says what is wrong with a profile that a server sent.
func readProfile(content []byte) error {
	_, err := pprof.Read(bytes.NewReader(content))
	return err
}
