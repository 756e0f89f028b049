package analysis

import (
	"slices"
	"strings"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// caveats are the findings that are said with every verdict of their run: what
// subjects did wrong, and what makes a comparison one-sided.
var caveats = []finding.Name{finding.SubjectFailed, finding.LostUnevenly, finding.TwinDiffers, finding.Errors, finding.WrongResponses}

// attachBasis gives each verdict what it rests on.
func attachBasis(a *Analysis) {
	basis := Basis(a)
	for i := range a.Claims {
		b := basis
		a.Claims[i].Basis = &b
	}
}

// Basis is what the verdicts of a run rest on.
func Basis(a *Analysis) claim.Basis {
	b := claim.Basis{Run: a.Run.ID, Validity: strings.ToUpper(string(a.Validity)), Machine: a.Run.Machine.Line(), Dyno: a.Run.Dyno}
	b.Commit, b.Clean = commitOf(a.Run.Dyno)
	for i := range a.Findings {
		f := &a.Findings[i]
		if slices.Contains(caveats, f.Name) && f.Weight() != finding.Valid {
			b.Doubts = append(b.Doubts, i18n.Join(string(f.Name), ": ", f.Detail))
		}
	}
	return b
}

// commitOf reads the commit that a version of dyno was built from, and whether its
// source was exactly that: "v0.3.1-0.20260102150405-0123456789ab", "v0.3.1+dirty" as Go says
// it, and "devel-0123456789ab", "devel-0123456789ab-dirty" or "devel" as package build does
// where Go knows no version.
func commitOf(version string) (commit string, clean bool) {
	if commit, ok := strings.CutPrefix(version, "devel-"); ok {
		commit, dirty := strings.CutSuffix(commit, "-dirty")
		return commit, !dirty
	}
	version, dirty := strings.CutSuffix(version, "+dirty")
	if !strings.HasPrefix(version, "v") {
		return "", false
	}
	if at := strings.LastIndex(version, "-"); at >= 0 && len(version)-at-1 == 12 {
		return version[at+1:], !dirty
	}
	return version, !dirty
}
