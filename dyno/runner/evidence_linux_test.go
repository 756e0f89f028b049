package runner

import (
	"slices"
	"testing"

	"dyno.example/dyno/evidence"
)

// TestExplainedTrial: a study that asks for it has evidence of its requests, which says itself
// what could not be seen.
func TestExplainedTrial(t *testing.T) {
	r := startedRunner(t, "    run: exec %s", "requests: [{get: /}]\nexplain: true\nloads: [{name: steady, open: {rate: 300, connections: 4}}]\n")
	r.Study.Trial.Duration *= 3
	run := run(t, r)
	header, records, err := run.Evidence(0)
	if err != nil || header == nil {
		t.Fatal(header, err)
	}
	if header.Counts.Requests == 0 || header.Counts.Kept != uint64(len(records)) || len(records) == 0 {
		t.Fatalf("%+v, %d records", header.Counts, len(records))
	}
	if slices.ContainsFunc(header.Missing, func(m evidence.Missing) bool { return m.What == "kernel" }) {
		t.Skip("no probes here: ", header.Missing)
	}
	seen := 0
	for i := range records {
		if b := records[i].Budget(); b[evidence.OnCPU] > 0 && b[evidence.Unexplained] == 0 {
			seen++
		}
	}
	if seen*2 < len(records) {
		t.Errorf("%d of %d records say what the subject did: %+v", seen, len(records), header)
	}
}
