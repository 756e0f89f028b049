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
	"dyno.example/dyno/probe"
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
	if c.Pprof != "" && c.keeps(study.KeepPprof) {
		k.fetcher = newFetcher(c.Pprof, c.Trust, c.Untrusted)
	}
	return k
}

// Unable is what of it isn't possible here, as for want of rights; nil if all is.
func (k *Keeping) Unable() error {
	if k.captured == nil {
		return k.unable
	}
	c, err := packets.Start(k.config.Port)
	if err == nil {
		_, _, _, err = c.Stop()
	}
	return errors.Join(k.unable, err)
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

// OnSlow is told of slow requests; nil if nobody wants to know.
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
	if t.Evidence != nil {
		k.apart(t, processes, remarks)
	}
}

// apart keeps what ran for slow requests and for others, as evidence of them tells.
func (k *Keeping) apart(t *archive.Trial, processes []*sampled.Process, remarks []string) {
	slow, others := stretches{}, stretches{}
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
