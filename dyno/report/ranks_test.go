package report

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/finding"
)

// ranked is a run of five frameworks of three languages, with the places given, whose ranks
// follow from who is behind whom.
func ranked(places ...analysis.Place) *analysis.Analysis {
	f := fixture{subjects: []string{"go/a", "go/b", "rust/a", "rust/b", "c/a"}, costs: []float64{10, 12, 14, 16, 18}, blocks: 6, seconds: 2}
	a := f.make()
	a.Groups[0].Ranking[cpu] = analysis.Among(places, func(analysis.Place) bool { return true })
	return a
}

func languagesOf(subjects []string) map[string]bool {
	list := map[string]bool{}
	for _, s := range subjects {
		language, _, _ := strings.Cut(s, "/")
		list[language] = true
	}
	return list
}

func lines(list []standing) string {
	var out []string
	for _, s := range list {
		line := s.Rank + " " + s.Subject.Name
		if len(s.Alike) > 0 {
			line += " like " + strings.Join(s.Alike, " ")
		}
		out = append(out, line)
	}
	return strings.Join(out, ", ")
}

// placed is a framework of [ranked] behind others, all by their cells.
func placed(cell int, behind ...int) analysis.Place {
	return analysis.Place{Cell: cell, Subject: []string{"go/a", "go/b", "rust/a", "rust/b", "c/a"}[cell], Behind: behind}
}

func TestRanksOfLanguages(t *testing.T) {
	for _, c := range []struct {
		name                  string
		places                []analysis.Place
		languages, frameworks string
	}{
		{"all apart", []analysis.Place{placed(2), placed(0, 2), placed(3, 2, 0), placed(1, 2, 0, 3), placed(4, 2, 0, 3, 1)},
			"1 rust/a, 2 go/a, 3 c/a", "1 rust/a, 2 go/a, 3 rust/b, 4 go/b, 5 c/a"},
		{"frameworks that can't be told apart, and languages", []analysis.Place{placed(0), placed(1), placed(2, 1), placed(4, 0, 1, 2)},
			"1–2 go/a like go/b, 1–2 rust/a, 3 c/a", "1–3 go/a like go/b, 1–2 go/b, 2–3 rust/a, 4 c/a, – rust/b"},
		{"a language without a figure", []analysis.Place{placed(0), placed(2, 0)}, "1 go/a, 2 rust/a", "1 go/a, 2 rust/a, – go/b, – rust/b, – c/a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := ranked(c.places...)
			r := newRanks(a, &a.Groups[0], cpu, English().c)
			if got := lines(r.Languages); got != c.languages {
				t.Errorf("languages: %s\nwant       %s", got, c.languages)
			}
			if got, want := lines(r.Frameworks), strings.ReplaceAll(c.frameworks, " like go/b", ""); got != want {
				t.Errorf("frameworks: %s\nwant        %s", got, want)
			}
		})
	}
}

// What is of dyno's own project stands for no language, however fast it is.
func TestOwnSubjectsStandForNoLanguage(t *testing.T) {
	a := ranked(placed(0), placed(2, 0), placed(1, 0, 2))
	for i := range a.Run.Subjects {
		a.Run.Subjects[i].Own = a.Run.Subjects[i].Name == "go/a"
	}
	r := newRanks(a, &a.Groups[0], cpu, English().c)
	if got, want := lines(r.Languages), "1 go/a, 2 rust/a, 3 go/b"; got != want {
		t.Errorf("languages: %s, want %s", got, want)
	}
	var out bytes.Buffer
	if err := Ranks(&out, a, RankOptions{By: cpu}, "en"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| go (dyno’s own) |", "| go |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}

// Who was still warming up when it was measured is marked in every table, and in no other place.
func TestWhoWasStillWarmingUpIsMarked(t *testing.T) {
	a := ranked(placed(0), placed(2, 0), placed(1, 0, 2))
	rust := a.Groups[0].Cells[2]
	a.Findings = append(a.Findings, analysis.Finding{
		Finding: finding.Finding{Name: finding.StillWarmingUp, Validity: finding.Suspect}, Trials: []int{rust.Trials[0], rust.Trials[1], 9999},
	})
	for name, write := range map[string]func(*bytes.Buffer) error{
		"markdown": func(w *bytes.Buffer) error { return Markdown(w, a, "en") },
		"ranks":    func(w *bytes.Buffer) error { return Ranks(w, a, RankOptions{By: cpu}, "en") },
		"terminal": func(w *bytes.Buffer) error { return Table(w, a, "en", 200, false) },
		"page":     func(w *bytes.Buffer) error { return HTML(w, a, "en") },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(plainSpaces(out.String())), " ")
		if want := "Was still warming up when it was measured: rust/a in 2 of 6 trials"; strings.Count(text, want) < 2 {
			t.Errorf("%s: %q is not below both tables", name, want)
		}
		marked := regexp.MustCompile(`\S+( v[0-9.]+)? †`).FindAllString(strings.ReplaceAll(text, "† Was", ""), -1)
		if len(marked) < 2 {
			t.Errorf("%s: marked is %q, want it in both tables", name, marked)
		}
		for _, m := range marked {
			if !regexp.MustCompile(`(rust/|>|^)a( v[0-9.]+)? †`).MatchString(m) {
				t.Errorf("%s: %q is marked", name, m)
			}
		}
	}
}

// With one framework of each language, languages would be the frameworks once more.
func TestLanguagesNeedSeveralFrameworks(t *testing.T) {
	for _, names := range [][]string{{"go/a", "rust/a", "c/a"}, {"go/a", "go/b"}} {
		a := fixture{subjects: names, costs: []float64{10, 12, 14}[:len(names)], blocks: 6, seconds: 2}.make()
		if r := newRanks(a, &a.Groups[0], cpu, English().c); len(r.Languages) > 0 || len(r.Frameworks) != len(names) {
			t.Errorf("%v: %d languages, %d frameworks", names, len(r.Languages), len(r.Frameworks))
		}
	}
}

func TestRanksForAReadme(t *testing.T) {
	var out bytes.Buffer
	if err := Ranks(&out, fortySubjects(), RankOptions{Group: "saturate, request=json"}, "en"); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if *screenshots != "" {
		if err := os.WriteFile(filepath.Join(*screenshots, "ranks.md"), out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"### saturate, request=json\n", "#### By language\n", "#### By framework\n", "Start-up time", "Size as built", "(engine)", "`20260314-092653-go-frameworks-5c1e`"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n| "); n != 2+len(languagesOf(fortyNames))+len(fortyNames) {
		t.Errorf("%d lines of tables, want a head each, %d languages and %d frameworks", n, len(languagesOf(fortyNames)), len(fortyNames))
	}
	if strings.Contains(text, "steady") {
		t.Error("another group is written too")
	}
	for _, c := range []struct {
		o    RankOptions
		want string
	}{
		{RankOptions{Group: "saturate"}, `no group "saturate"; there are: saturate, request=json; saturate, request=plaintext`},
		{RankOptions{By: "speed"}, "saturate, request=json has no ranks by speed; there are those by cpu, response.p50,"},
	} {
		if err := Ranks(&out, fortySubjects(), c.o, "en"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
	if err := Ranks(&out, &analysis.Analysis{}, RankOptions{}, "en"); err == nil {
		t.Error("a run without groups is ranked")
	}
}

func TestGivenRatesRankNobody(t *testing.T) {
	a := fortySubjects()
	for i := range a.Groups {
		want := map[string]string{"saturate": throughput, "steady": cpu}[a.Groups[i].Load]
		if got := leading(a, &a.Groups[i]); got != want {
			t.Errorf("%s is ranked by %s, want %s", a.Groups[i].Title, got, want)
		}
	}
}
