// Package scripted is a server that responds at times known beforehand, and notes
// when it really did. What a load generator reports about it can be held against
// the truth: the schedule the generator was asked for, the script, and the
// server's own record.
//
// Like the null server it is no HTTP server: it takes each read for one request.
package scripted

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Script says when responses are sent. The zero value responds at once.
type Script struct {
	Delay time.Duration // from a request's arrival to its response
	Slow  time.Duration // the delay of SlowShare of the requests
	// SlowShare is the share of slow requests, 0 to 1. Which ones they are is a
	// fixed pseudo-random function of the order of arrival.
	SlowShare float64
	// Freeze holds every response that falls due in the last Freeze of each Every,
	// until its end. Time counts from the first request's arrival. 0 means never.
	Freeze, Every time.Duration
}

// Due returns when the response is due to request k (the first is 0) that arrived
// at the given time. All times are ns on one clock; start is the arrival of the
// first request.
func (s Script) Due(k int, arrival, start int64) int64 {
	due := arrival + int64(s.delay(k))
	if s.Freeze == 0 {
		return due
	}
	phase := (due - start) % int64(s.Every)
	if phase >= int64(s.Every-s.Freeze) {
		due += int64(s.Every) - phase
	}
	return due
}

func (s Script) delay(k int) time.Duration {
	if s.SlowShare > 0 && spread(uint64(k)) < s.SlowShare {
		return s.Slow
	}
	return s.Delay
}

// spread maps k to [0, 1), without pattern (SplitMix64: Steele, Lea and Flood,
// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
func spread(k uint64) float64 {
	k = (k + 1) * 0x9e3779b97f4a7c15
	k = (k ^ k>>30) * 0xbf58476d1ce4e5b9
	k = (k ^ k>>27) * 0x94d049bb133111eb
	return float64((k^k>>31)>>11) / (1 << 53)
}

// String writes the script as [Parse] reads it.
func (s Script) String() string {
	parts := []string{"delay=" + s.Delay.String()}
	if s.SlowShare > 0 {
		parts = append(parts, "slow="+s.Slow.String(), "share="+strconv.FormatFloat(s.SlowShare, 'g', -1, 64))
	}
	if s.Freeze > 0 {
		parts = append(parts, "freeze="+s.Freeze.String(), "every="+s.Every.String())
	}
	return strings.Join(parts, ",")
}

// Parse reads a script such as "delay=1ms,slow=20ms,share=0.1" or
// "delay=0s,freeze=1s,every=5s". The empty text responds at once.
func Parse(text string) (Script, error) {
	var s Script
	if text == "" {
		return s, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		if err := s.set(name, value); err != nil {
			return Script{}, fmt.Errorf("script %q: %s: %w", text, name, err)
		}
	}
	return s, s.check(text)
}

func (s *Script) set(name, value string) (err error) {
	switch name {
	case "delay":
		s.Delay, err = time.ParseDuration(value)
	case "slow":
		s.Slow, err = time.ParseDuration(value)
	case "share":
		s.SlowShare, err = strconv.ParseFloat(value, 64)
	case "freeze":
		s.Freeze, err = time.ParseDuration(value)
	case "every":
		s.Every, err = time.ParseDuration(value)
	default:
		err = fmt.Errorf("is none of delay, slow, share, freeze and every")
	}
	return err
}

func (s Script) check(text string) error {
	switch {
	case s.Delay < 0 || s.Slow < 0 || s.Freeze < 0 || s.Every < 0:
		return fmt.Errorf("script %q: times must not be negative", text)
	case !(s.SlowShare >= 0 && s.SlowShare <= 1):
		return fmt.Errorf("script %q: share must be from 0 to 1", text)
	case s.SlowShare > 0 && s.Slow == 0:
		return fmt.Errorf("script %q: share needs slow, the delay of that share", text)
	case s.Freeze > 0 && s.Every <= s.Freeze:
		return fmt.Errorf("script %q: every must be longer than freeze", text)
	}
	return nil
}
