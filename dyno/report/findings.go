package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
)

// explained is a finding with what it means in plain words.
type explained struct {
	Name    string
	Level   string // "note", "suspect", "invalid" or accepted
	Word    string // for the level
	Title   string
	Meaning string
	Detail  string
	Where   string
	All     string // where it was, of all subjects; empty if Where has them
}

func explainFindings(a *analysis.Analysis, c language) []explained {
	var out []explained
	for _, f := range a.Findings {
		name := string(f.Name)
		e := explained{Name: name, Level: string(f.Validity), Title: name, Detail: capital(Excerpt(c.say(f.Detail)))}
		if f.Validity == finding.Valid { // too few windows to matter, but said all the same
			e.Level = "note"
		}
		if key := "finding." + name; c.has(key) {
			e.Title, e.Meaning = c.text(key), c.text(key+".why")
		}
		if f.Accepted && e.Level != "note" {
			e.Detail = c.paragraph([]string{sentence(e.Detail, c), c.text("validity.otherwise", "level", c.text("validity."+e.Level))})
			e.Level = accepted
		}
		e.Word = c.text("validity." + e.Level)
		places := where(a, f, c)
		e.Where = strings.Join(places, c.text("list.semicolon"))
		if len(places) > few {
			e.All, e.Where = e.Where, c.text("list.more", "some", strings.Join(places[:named], c.text("list.semicolon")), "n", len(places)-named)
		}
		if len(f.Windows) > 0 && len(f.Trials) == 1 {
			e.Where += c.text(plural("finding.seconds", len(f.Windows)), "seconds", c.numbers(f.Windows))
		}
		out = append(out, e)
	}
	return out
}

// capital writes a finding's detail, which begins as a clause, as a sentence.
func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

// sentence ends a text with a full stop if it has no end.
func sentence(s string, c language) string {
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "。") {
		return s
	}
	return s + c.text("list.stop")
}

// where lists the places of a finding: subjects with their blocks.
func where(a *analysis.Analysis, f analysis.Finding, c language) []string {
	bySubject := map[string][]int{}
	var subjects []string
	for _, index := range f.Trials {
		t, ok := plannedTrial(a, index)
		if !ok {
			continue
		}
		if _, seen := bySubject[t.subject]; !seen {
			subjects = append(subjects, t.subject)
		}
		bySubject[t.subject] = append(bySubject[t.subject], t.block)
	}
	var out []string
	for _, s := range subjects {
		list := slices.Compact(slices.Sorted(slices.Values(bySubject[s])))
		out = append(out, c.text(plural("finding.where", len(list)), "subject", s, "blocks", c.numbers(list)))
	}
	return out
}

// numbers writes a sorted list with runs closed up: "1–3, 7".
func (c language) numbers(list []int) string {
	var out []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		switch {
		case j == i:
			out = append(out, strconv.Itoa(list[i]))
		case j == i+1:
			out = append(out, strconv.Itoa(list[i]), strconv.Itoa(list[j]))
		default:
			out = append(out, fmt.Sprintf("%d–%d", list[i], list[j]))
		}
		i = j + 1
	}
	return strings.Join(out, c.text("list.comma"))
}

// spot is where in the plan a trial stands.
type spot struct {
	subject string
	block   int // from 1
}

func plannedTrial(a *analysis.Analysis, index int) (spot, bool) {
	for _, t := range a.Run.Plan.Trials {
		if t.Index == index && t.Cell >= 0 && t.Cell < len(a.Run.Plan.Cells) {
			return spot{a.Run.Plan.Cells[t.Cell].Subject, t.Block + 1}, true
		}
	}
	return spot{}, false
}

// left is a trial that no figure rests on, and why.
type left struct {
	Trial   int
	Subject string
	Group   string
	Block   int
	Why     string
}

func leftOut(a *analysis.Analysis, c language) []left {
	var out []left
	for _, g := range a.Groups {
		for _, cell := range arms(&g) {
			for _, index := range cell.Left {
				t, _ := plannedTrial(a, index)
				why := whyLeft(a, index, c) + repeated(a, index, c)
				out = append(out, left{index, cell.Subject, g.Title, t.block, why})
			}
		}
	}
	slices.SortFunc(out, func(x, y left) int { return cmp.Compare(x.Trial, y.Trial) })
	return out
}

// repeated says which trial repeats the one with the given index, if one does.
func repeated(a *analysis.Analysis, index int, c language) string {
	for _, t := range a.Run.Plan.Trials {
		if t.Repeats != nil && *t.Repeats == index {
			return c.text("list.semicolon") + c.text("left.repeated", "trial", t.Index)
		}
	}
	return ""
}

// whyLeft names the findings that make a trial invalid.
func whyLeft(a *analysis.Analysis, trial int, c language) string {
	var why []string
	for _, f := range a.Findings {
		if f.Weight() != finding.Invalid || !slices.Contains(f.Trials, trial) {
			continue
		}
		title := findingTitle(f.Name, c)
		if f.Name == finding.TrialFailed { // whose detail is the error
			title += c.text("list.colon") + Excerpt(c.say(f.Detail))
		}
		why = append(why, title)
	}
	if len(why) == 0 {
		return c.text("left.unknown")
	}
	return strings.Join(why, c.text("list.semicolon"))
}

// findingTitle is what a finding is called, or its name.
func findingTitle(name finding.Name, c language) string {
	if key := "finding." + string(name); c.has(key) {
		return c.text(key)
	}
	return string(name)
}

// ending says why the run has fewer trials than planned, or nothing.
func ending(a *analysis.Analysis, c language) string {
	switch a.Run.Status {
	case archive.Interrupted, archive.Running:
		return c.text("run." + string(a.Run.Status))
	case archive.Failed:
		return c.text("run.failed", "error", strings.Join(strings.Fields(c.say(a.Run.Error)), " "))
	}
	return ""
}
