package config

import "time"

// Failures bounds how many credentials may be wrong in a time: without it passwords are
// guessed at the speed of the machine.
type Failures struct {
	Address Rate // of each client's address, of IPv6 its network of 64 bits; without requests unbounded
	Name    Rate // for each user's name, whoever shows it
}

// failuresOf are the bounds of which a file says nothing: many more than people mistype, and
// too few to guess a password that is worth that name.
func failuresOf(address, name int) (f Failures) {
	rate := func(n int) Rate {
		if n == 0 {
			return Rate{}
		}
		return Rate{Requests: n, Per: time.Minute, Burst: n, Keys: 100_000}
	}
	return Failures{rate(address), rate(name)}
}

// readFailures reads off, a rate of each address, or both bounds.
func readFailures(p place, f Failures, names bool) Failures {
	rate := func(p place) Rate {
		if text, _ := p.Scalar(); text == "off" {
			return Rate{}
		}
		r := Rate{Keys: 100_000}
		r.readRate(p)
		r.Burst = r.Requests
		return r
	}
	if !p.IsMapping() {
		if f.Address = rate(p); f.Address.Requests == 0 {
			f.Name = Rate{}
		}
		return f
	}
	fields := []known[Failures]{
		// From each client's address, of IPv6 its network of 64 bits.
		{"address", func(f *Failures, p place) { f.Address = rate(p) }},
		// For each user's name, whoever shows it; of `basic` only.
		{"name", func(f *Failures, p place) { f.Name = rate(p) }},
	}
	if !names {
		fields = fields[:1]
	}
	readFields(p, &f, fields)
	return f
}
