package published

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// reportOfBefore ranks by who is surely better: b, which was measured badly, stands above c.
const reportOfBefore = `# Who?

## load, env.A\_B=1

| # | Subject | Throughput | Start-up time |
|--:|:--|--:|--:|
| 1= | go/a 1.0 | 30 req/s | 1 ms |
| 1= | rust/b | 15 req/s | 2 ms |
| 2 | go/c 2 | 20 req/s | 3 ms |
| – | rust/d | – | 4 ms |

Ranked by Throughput. A rank marked = is shared: the data can’t tell these subjects apart. Ratios compare trials of the same block in pairs.

### By language

| # | Language | Framework | Throughput | Size as built |
|--:|:--|:--|--:|--:|
| 1= | go | a 1.0 | 30 req/s | 5 KiB |
| 1= | rust | b | 15 req/s | 6 KiB |

Each language stands there by the best of its frameworks, ranked by Throughput; how many more.

## Can these numbers be trusted?

- **SUSPECT** The subject was still warming up (still-warming-up): The subject was not steady (and likewise in 2 more trials) – go/c in blocks 2–3; rust/b in block 1
`

func folderOfBefore(t *testing.T, report string) fstest.MapFS {
	t.Helper()
	var plain bytes.Buffer
	plain.WriteString("run,study,load,factor.env.A_B,subject,cell,trial,block,metric,unit,value,arm\n")
	for subject, values := range map[string][]float64{
		"go/a": {30, 30.1, 29.9, 30, 30.2, 29.8}, "rust/b": {15, 60, 14, 70, 15.5, 13}, "go/c": {20, 20.1, 19.9, 20.2, 20, 19.8},
	} {
		for block, value := range values {
			fmt.Fprintf(&plain, "r,s,load,1,%s,0,%d,%d,throughput,req/s,%g,1\n", subject, block, block+1, value)
		}
	}
	plain.WriteString("r,s,load,1,go/a,0,9,1,throughput,req/s,1,2\n") // the reference measured again
	return fstest.MapFS{
		"x/report.md":     {Data: []byte(report)},
		"x/trials.csv.gz": {Data: packed(plain.Bytes())},
		"x/manifest.json.gz": {Data: packed([]byte(`{"subjects": [{"name": "go/a", "language": "go", "version": "1.0"}, {"name": "rust/b", "language": "rust"},
			{"name": "go/c", "language": "go", "version": "2"}, {"name": "rust/d", "language": "rust"}]}`))},
	}
}

func packed(plain []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(plain)
	w.Close()
	return b.Bytes()
}

// words are those of a report, with what is put into them.
func words(own string) Words {
	return Words{
		Text: func(key string, pairs ...any) string { return fmt.Sprint(append([]any{"<" + key}, pairs...)...) + ">" },
		Own:  func(subject string) bool { return subject == own },
	}
}

func TestRerank(t *testing.T) {
	got, err := Rerank(folderOfBefore(t, reportOfBefore), "x", words("go/a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| 1–2 | go/a 1.0 | 30 req/s | 1 ms |\n| 2–3 | go/c 2 † | 20 req/s | 3 ms |\n| 1–3 | rust/b † | 15 req/s | 2 ms |\n| – | rust/d | – | 4 ms |\n\n<ranking.note.rank",
		"rust/b in block 1", "go/c in blocks 2–3", "> Ratios compare trials of the same block in pairs.",
		"| 1–2 | <languages.ownlanguagego> | a 1.0 | 30 req/s | 5 KiB |\n| 2–3 | go | c 2 † | 20 req/s | – |\n| 1–3 | rust | b † | 15 req/s | 6 KiB |\n\n<languages.note",
	} {
		if !strings.Contains(strings.ReplaceAll(got, " . ", ". "), want) {
			t.Errorf("%s\nis missing in\n%s", want, got)
		}
	}
	again, err := Rerank(folderOfBefore(t, got), "x", words("go/a"))
	if err != nil || again != got {
		t.Errorf("what is in today's order is changed again, or %v", err)
	}
}

// Ranks that what was published doesn't give again are of something else: nothing is written.
func TestRerankOfOtherFigures(t *testing.T) {
	for name, report := range map[string]string{
		"another rank":   strings.Replace(reportOfBefore, "| 2 | go/c", "| 3 | go/c", 1),
		"another metric": strings.Replace(reportOfBefore, "Ranked by Throughput", "Ranked by Response p99", 1),
		"another group":  strings.Replace(reportOfBefore, "B=1", "B=2", 1),
	} {
		if got, err := Rerank(folderOfBefore(t, report), "x", words("")); err == nil {
			t.Errorf("%s: no error, but\n%s", name, got)
		}
	}
}
