package published

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/studies"
	"dyno.example/internal/i18n"
)

// catalogue has four claims: measured, not yet, unmeasurable, without a study.
func catalogue() studies.Catalogue {
	return studies.Catalogue{
		Sources: map[string]string{"one": "The first article", "two": "The second"},
		Claims: []studies.Claim{
			{ID: "kept", Source: "one", Asks: "What does it lose?", Published: "40 %", Conditions: "one core", Note: "A note."},
			{ID: "later", Source: "one", Asks: "Is a | b?", Published: "it is"},
			{ID: "clock", Source: "two", Asks: "Does it shrink?", Published: "it does"},
			{ID: "lost", Source: "two", Asks: "Who knows?", Published: "nobody"},
		},
	}
}

func held() map[string][]claim.Claim {
	return map[string][]claim.Claim{
		"study-kept":  {{ID: "kept", Says: "It loses 40 %", Expressions: []string{"throughput[a] / throughput[b] <= 0.6 published 0.6"}}},
		"study-later": {{ID: "later"}},
		"study-clock": {{ID: "clock", Unmeasurable: "Needs\n  a clock."}},
	}
}

func outcome(id string, v claim.Verdict, estimate float64) claim.Outcome {
	return claim.Outcome{ID: id, Verdict: v, Why: i18n.Verbatim("because"), Blocks: 8, Parts: []claim.Part{{
		Expression: "throughput[a] / throughput[b] <= 0.6", Verdict: v, Blocks: 8,
		Effect: &claim.Effect{
			Unit: "×", Op: claim.LessEq, Bound: 0.6,
			Interval: stats.Interval{N: 8, Estimate: estimate, Low: estimate - 0.01, High: estimate + 0.01, Level: 0.95},
		},
	}}}
}

func record(quick bool, day int, verdicts ...claim.Outcome) *Record {
	return &Record{
		Study: "study-kept", Quick: quick, Date: time.Date(2026, 3, day, 12, 0, 0, 0, time.UTC), Machine: "A CPU × 2",
		Versions: []string{"dyno 1"}, Method: "20 trials", Command: "dyno run study-kept --seed 7", Verdicts: verdicts,
	}
}

// results is a folder of records by the names of their folders.
func results(t *testing.T, records map[string]*Record) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{"README.md": {}, "other/trials.csv.gz": {}}
	for dir, r := range records {
		data, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		files[dir+"/"+FileName] = &fstest.MapFile{Data: data}
	}
	return files
}

func TestPage(t *testing.T) {
	records, err := ReadAll(results(t, map[string]*Record{
		"older": record(false, 1, outcome("kept", claim.Opposite, 0.9)),
		"newer": record(false, 2, outcome("kept", claim.Confirmed, 0.4)),
		"quick": record(true, 3, outcome("kept", claim.Undecided, 0.6)),
	}))
	if err != nil {
		t.Fatal(err)
	}
	list, err := Questions(catalogue(), held(), records, []Attempt{{Study: "study-kept", Run: "1"}, {Study: "study-kept", Run: "1", Published: true}, {Study: "study-kept", Run: "2"}, {Study: "study-later", Run: "3"}, {Study: "study-else", Run: "4"}})
	if err != nil {
		t.Fatal(err)
	}
	page := Page(catalogue(), list)
	for _, want := range []string{
		"| confirmed | 1 |", "| size refuted | 0 |", "| unmeasurable | 1 |", "| not measured yet | 2 |", "| all | 4 |",
		"## The first article", "| [kept](#kept) | What does it lose? | confirmed | 0.4× (0.39–0.41), claimed ≤ 0.6× |",
		`| [later](#later) | Is a \| b? | not measured yet | ` + "`dyno run study-later` |",
		"| [clock](#clock) | Does it shrink? | unmeasurable | needs another machine |",
		"| [lost](#lost) | Who knows? | not measured yet | no study yet |",
		"- Published: 40 %; one core.", "- Held to: It loses 40 %.", "- Verdict: **confirmed**: because", "- A note.",
		"- Attempts: 2 runs of its study are known, 1 of them published.\n", "- Attempts: 1 run of its study is known, 0 of them published.\n",
		"- Conditions: 2 March 2026; A CPU × 2; 20 trials; dyno 1.", "[results/newer](results/newer)",
		"- Repeat: `dyno run study-kept --seed 7`", "- Verdict: **unmeasurable**: Needs a clock.",
		"| `throughput[a] / throughput[b] <= 0.6` | 0.4× (0.39–0.41) | confirmed |",
	} {
		if !strings.Contains(page, want+"\n") && !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "0.9×") || strings.Contains(page, "0.6× (") {
		t.Errorf("an older or quicker run shows:\n%s", page)
	}
}

// Where some parts can't be measured, and the table has their figures, the page says why.
func TestPageSaysWhyPartsAreUnmeasurable(t *testing.T) {
	one := outcome("kept", claim.Confirmed, 0.4)
	other := one.Parts[0]
	other.Expression, other.Verdict, other.Why = "errors[a] >= 12%", claim.Unmeasurable, i18n.Verbatim("the client waits")
	one.Parts, one.Verdict = append(one.Parts, other, other), claim.Mixed
	page := &page{}
	q := Question{Claim: catalogue().Claims[0], Result: &one, Record: record(false, 2, one)}
	page.detail(&q)
	if got := strings.Count(page.out.String(), "- Unmeasurable in part: the client waits\n"); got != 1 {
		t.Errorf("it is said %d times in\n%s", got, page.out.String())
	}
}

// A record of the rule before today's says so next to each verdict, and keeps what is
// known of its run.
func TestOlderRecord(t *testing.T) {
	for name, c := range map[string]struct {
		basis *claim.Basis
		want  string
	}{
		"nothing known":  {nil, "- Basis: validity not recorded; 4 blocks."},
		"validity known": {&claim.Basis{Validity: "SUSPECT"}, "- Basis: a SUSPECT run; dyno of an unknown commit; 4 blocks."},
	} {
		o := outcome("kept", "refuted", 0.9)
		o.Blocks, o.Parts[0].Blocks, o.Basis = 4, 4, c.basis
		files := results(t, map[string]*Record{"old": record(true, 1, o)})
		file := files["old/"+FileName]
		file.Data = []byte(strings.Replace(string(file.Data), `"schema": 2`, `"schema": 1`, 1))
		records, err := ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Questions(catalogue(), held(), records, nil)
		if err != nil {
			t.Fatal(err)
		}
		word := "refuted (4 blocks, by an older rule)"
		if c.basis != nil {
			word = "refuted (SUSPECT run, 4 blocks, by an older rule)"
		}
		page := Page(catalogue(), list)
		for _, want := range []string{c.want, "**" + word + "**"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page lacks %q:\n%s", name, want, page)
			}
		}
		if strings.Contains(page, "Attempts") {
			t.Errorf("%s: attempts that nobody counted", name)
		}
	}
}

// A record that was judged otherwise than today gives way to any that was not, and says
// what it is if there is none.
func TestOutdatedRecords(t *testing.T) {
	today := func(t *testing.T, records map[string]*Record, change func(fstest.MapFS)) string {
		files := results(t, records)
		change(files)
		read, err := ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Questions(catalogue(), held(), read, nil)
		if err != nil {
			t.Fatal(err)
		}
		return Page(catalogue(), list)
	}
	older := outcome("kept", claim.Opposite, 0.9)
	older.Parts[0].Expression = "throughput[a] / throughput[b] <= 0.7"
	twice := outcome("kept", claim.Opposite, 0.9)
	twice.Parts = append(twice.Parts, older.Parts[0])
	for _, c := range []struct {
		name   string
		full   claim.Outcome
		quick  bool // there is a quick run of today, too
		schema string
		want   string
	}{
		{"older rule", outcome("kept", claim.Opposite, 0.9), true, `"schema": 1`, "**confirmed**"},
		{"older form", older, true, `"schema": 2`, "**confirmed**"},
		{"one comparison more", twice, true, `"schema": 2`, "**confirmed**"},
		{"older form, alone", older, false, `"schema": 2`, "**opposite (by an older form of its study)**"},
		{"both, alone", older, false, `"schema": 1`, "**opposite (by an older rule, by an older form of its study)**"},
		{"today's", outcome("kept", claim.Opposite, 0.9), true, `"schema": 2`, "**opposite**"},
	} {
		records := map[string]*Record{"full": record(false, 1, c.full)}
		if c.quick {
			records["quick"] = record(true, 2, outcome("kept", claim.Confirmed, 0.4))
		}
		page := today(t, records, func(files fstest.MapFS) {
			f := files["full/"+FileName]
			f.Data = []byte(strings.Replace(string(f.Data), `"schema": 2`, c.schema, 1))
		})
		if !strings.Contains(page, c.want) {
			t.Errorf("%s: the page lacks %q:\n%s", c.name, c.want, page)
		}
	}
}

func TestQuestionsThatDoNotFit(t *testing.T) {
	unknown := []claim.Claim{{ID: "kpet"}}
	for _, c := range []struct {
		name    string
		held    map[string][]claim.Claim
		records []Record
		want    string
	}{
		{"study", map[string][]claim.Claim{"s": unknown}, nil, `study s decides "kpet", which is not in dyno/studies/claims.yaml`},
		{"record", nil, []Record{{Dir: "d", Verdicts: []claim.Outcome{{ID: "kpet"}}}}, `d/verdicts.json decides "kpet", which is not in dyno/studies/claims.yaml`},
		{"twice", map[string][]claim.Claim{"a": {{ID: "kept"}}, "b": {{ID: "kept"}}}, nil, `"kept" is decided twice, by the studies a and b`},
	} {
		if _, err := Questions(catalogue(), c.held, c.records, nil); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestRecordsThatCannotBeRead(t *testing.T) {
	whole, err := record(false, 1, outcome("kept", claim.Confirmed, 0.4)).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, from, to, want string }{
		{"broken", "{", "", "d/verdicts.json: "},
		{"newer", `"schema": 2`, `"schema": 3`, "schema 3 is not 2"},
		{"unknown field", `"study"`, `"sutdy"`, "sutdy"},
		{"no command", `"dyno run study-kept --seed 7"`, `""`, "it must say study, command, machine and date"},
		{"verdict", `"confirmed"`, `"proven"`, `claim kept: "proven" is no verdict`},
	} {
		files := fstest.MapFS{"d/" + FileName: {Data: []byte(strings.Replace(string(whole), c.from, c.to, 1))}}
		if _, err := ReadAll(files); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestNew(t *testing.T) {
	a := &analysis.Analysis{
		Run: archive.Manifest{
			ID: "20260301-x", Study: "s", Dyno: "v1", Quick: true, Started: time.Unix(0, 0), Duration: 5 * time.Second,
			Machine:  machine.Fingerprint{OS: "linux", Kernel: "6.18", CPUModel: "A CPU", CPUs: 2, Virtualization: "KVM"},
			Subjects: []archive.Subject{{Framework: "gin", Version: "1.12"}, {Framework: "gin", Version: "1.12"}, {}},
		},
		Validity: finding.Suspect, Claims: []claim.Outcome{{ID: "kept", Verdict: claim.Opposite}},
	}
	r, err := New(a, "dyno run s")
	if err != nil {
		t.Fatal(err)
	}
	if r.Machine != "A CPU × 2, KVM, linux 6.18" || strings.Join(r.Versions, "; ") != "dyno v1; gin 1.12" ||
		r.Method != "0 trials of 5s in 0 blocks, the study's quick form" || len(r.Verdicts) != 1 {
		t.Errorf("got %+v", r)
	}
	a.Validity = finding.Invalid
	if _, err := New(a, "dyno run s"); err == nil || !strings.Contains(err.Error(), "20260301-x is INVALID") {
		t.Errorf("an invalid run: %v", err)
	}
}

func TestFigures(t *testing.T) {
	interval := func(estimate, low, high float64) stats.Interval {
		return stats.Interval{N: 8, Estimate: estimate, Low: low, High: high}
	}
	for _, c := range []struct {
		effect claim.Effect
		want   string
		failed int
	}{
		{claim.Effect{Unit: "×", Interval: interval(2.3456, 2.3, 2.4), Op: claim.GreaterEq, Bound: 2.3}, "2.35× (2.3–2.4), claimed ≥ 2.3×", 0},
		{claim.Effect{Unit: "µs", Interval: interval(1234567, 1.2e6, 1.3e6), Op: claim.Less, Bound: 12000}, "1.23 s (1.2–1.3), claimed < 12 ms", 0},
		{claim.Effect{Unit: "bytes", Interval: interval(3<<20, 2<<20, 4<<20), Op: claim.LessEq, Bound: 2048}, "3 MiB (2–4), claimed ≤ 2 KiB", 0},
		{claim.Effect{Unit: "×", Interval: interval(1.37, 1.3, 1.4), Op: claim.About, Bound: 1.37, Tolerance: 0.05}, "1.37× (1.3–1.4), claimed ~ 1.37× ± 5 %", 0},
		{claim.Effect{Interval: interval(5000, 5000, 7000), Above: true, Op: claim.GreaterEq, Bound: 10000}, "at least 5000, claimed ≥ 10000", 0},
		{claim.Effect{Unit: "req/s", Interval: interval(5000, 5000, 7000), Below: true, Op: claim.GreaterEq, Bound: 10000}, "at most 7000 req/s, claimed ≥ 10000 req/s", 0},
		{claim.Effect{Unit: "%", Interval: stats.Interval{N: 1, Estimate: 0.5}, Op: claim.Less, Bound: 1}, "0.5 %, claimed < 1 %", 0},
		{claim.Effect{Unit: "×", Interval: interval(0, 0, 0), Op: claim.LessEq, Bound: 0.25}, "0× (the other failed in all blocks), claimed ≤ 0.25×", 8},
		{claim.Effect{Unit: "×", Interval: interval(0, 0, 0), Op: claim.LessEq, Bound: 0.25}, "0× (0–0), claimed ≤ 0.25×", 0},
	} {
		if got := effect(&claim.Part{Effect: &c.effect, Blocks: 8, Failed: c.failed}); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestRemedy(t *testing.T) {
	for want, q := range map[string]Question{
		"dyno run x":   {Study: "x", Record: &Record{Command: "dyno run x --seed 7"}},
		"go run ./y":   {Record: &Record{Command: "go run ./y"}},
		"no study yet": {},
	} {
		if got := q.Remedy(); got.String() != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
