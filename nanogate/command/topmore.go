//go:build linux

package command

import (
	"fmt"
	"time"

	"dyno.example/nanogate/internal/admin"
)

// identities is the section of identity providers and introspection servers.
func identities(now *look) section {
	s := section{what: "of identity servers", head: "STATE\tLOGOUTS\tGUARD\tROUTE\tASKS\tLAST ERROR"}
	for _, a := range now.asked {
		state := "known"
		if !a.Ready {
			state = "away"
		}
		s.rows = append(s.rows, fmt.Sprintf("%s\t%d\t%s\t%s\t%s\t%s", state, a.Logouts, a.Guard, clip(a.Route), a.Where, a.Error))
	}
	return s
}

// certificates are those that clients are shown.
func certificates(now *look) section {
	s := section{what: "certificates", head: "EXPIRES\tRENEWED\tFAILURES\tCERTIFICATE\tLAST ERROR"}
	for _, c := range now.shown {
		name := c.Name
		if name == "" {
			name = c.File
		}
		s.rows = append(s.rows, fmt.Sprintf("%s\t%s\t%d\t%s\t%s", left(c.Expires, now.at), left(c.Renews, now.at), c.Failures, name, c.Error))
	}
	return s
}

// left is how long it is until a time.
func left(at *time.Time, now time.Time) string {
	if at == nil {
		return "-"
	}
	d := at.Sub(now)
	if d >= 48*time.Hour {
		return fmt.Sprintf("in %d days", d/(24*time.Hour))
	}
	if d < 0 {
		return "over"
	}
	return "in " + d.Round(time.Minute).String()
}

// plugins are those in WebAssembly, and what became of their calls.
func plugins(now *look) section {
	s := section{what: "plug-ins", head: "REQUESTS\tRESPONSES\tREPLIED\tFAILED\tMEAN MS\tMEMORY\tPLUG-IN"}
	for _, p := range now.plugins {
		s.rows = append(s.rows, fmt.Sprintf("%d\t%d\t%d\t%d\t%s\t%s\t%s", p.Requests, p.Responses, p.Replied, failures(&p), short(p.Mean), mebibytes(p.Memory), p.Name))
	}
	return s
}

func failures(p *admin.Plugin) (n uint64) {
	for _, one := range p.Failed {
		n += one
	}
	return n
}
