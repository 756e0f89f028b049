package study

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/subject/link"
)

const factorial = `study: s
subjects: [go/gin, go/chi]
requests: [{name: a, get: /a}, {name: b, get: /b}]
loads:
  - {name: slow, open: {rate: 10}}
  - {name: fast, open: {rate: 20}, timeout: 1s}
factors:
  connections: [1, 2]
  rate: [100, 200.5]
  request: [b, a]
  env.GOGC: [50, 400]
trial: {warmup: 1s, duration: 2s}
blocks: 3
twin: false
`

func expand(t testing.TB, s *Study, seed uint64) Plan {
	t.Helper()
	p, err := Expand(s, seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCellsAreTheFullFactorial(t *testing.T) {
	s := parse(t, factorial)
	p := expand(t, s, 1)
	if len(p.Cells) != 2*2*16 {
		t.Fatalf("got %d cells", len(p.Cells))
	}
	seen := make(map[string]bool)
	for i, c := range p.Cells {
		key := fmt.Sprint(c.Subject, c.Load, c.Levels)
		if c.Index != i || seen[key] {
			t.Errorf("cell %d: index %d, seen before %v", i, c.Index, seen[key])
		}
		seen[key] = true
	}
	want := Cell{
		Index: 1 + 2*1 + 4*0 + 8*1 + 16*1 + 32*1, Subject: "go/chi", Load: "fast",
		Levels:   map[string]string{"connections": "2", "rate": "100", "request": "a", "env.GOGC": "400"},
		Profile:  profile.Profile{Mode: profile.Open, Connections: 2, Rate: 100, Arrivals: profile.Poisson},
		Timeout:  time.Second,
		Requests: []request.Request{{Name: "a", Method: "GET", Path: "/a", Weight: 1}},
		Env:      map[string]string{"GOGC": "400"},
		Point:    1 + 2*1 + 4*0 + 8*1,
	}
	if got := p.Cells[want.Index]; !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestCellWithoutFactors(t *testing.T) {
	p := expand(t, parse(t, minimal), 1)
	if len(p.Cells) != 1 || p.Cells[0].Levels != nil || len(p.Cells[0].Requests) != 1 {
		t.Errorf("got %+v", p.Cells)
	}
}

func TestBlocksHoldEachCellOnce(t *testing.T) {
	p := expand(t, parse(t, factorial), 7)
	cells := len(p.Cells)
	if len(p.Trials) != 3*cells {
		t.Fatalf("got %d trials", len(p.Trials))
	}
	orders := make(map[string]bool)
	seeds := make(map[uint64]bool)
	for block, trials := range slices.Collect(slices.Chunk(p.Trials, cells)) {
		var order []int
		for i, trial := range trials {
			if trial.Index != block*cells+i || trial.Block != block || trial.Seed != trials[0].Seed {
				t.Errorf("trial %d of block %d is %+v", i, block, trial)
			}
			order = append(order, trial.Cell)
		}
		orders[fmt.Sprint(order)] = true
		seeds[trials[0].Seed] = true
		slices.Sort(order)
		for cell, got := range order {
			if got != cell {
				t.Fatalf("block %d holds %v", block, order)
			}
		}
	}
	if len(orders) != 3 || len(seeds) != 3 {
		t.Errorf("%d orders and %d seeds in 3 blocks", len(orders), len(seeds))
	}
}

func TestPlanIsAFunctionOfStudyAndSeed(t *testing.T) {
	a, same := expand(t, parse(t, factorial), 7), expand(t, parse(t, factorial), 7)
	if !reflect.DeepEqual(a, same) {
		t.Error("the same seed gives another plan")
	}
	other := expand(t, parse(t, factorial), 8)
	if reflect.DeepEqual(a.Trials, other.Trials) {
		t.Error("another seed gives the same order")
	}
	if !reflect.DeepEqual(a.Cells, other.Cells) {
		t.Error("another seed gives other cells")
	}
}

func TestEstimate(t *testing.T) {
	p := expand(t, parse(t, factorial), 1)
	if want := 192 * (3*time.Second + betweenTrials); p.Estimate != want {
		t.Errorf("got %v, want %v", p.Estimate, want)
	}
	long := parse(t, minimal+"trial: {warmup: 24h, duration: 24h}\nblocks: 10000\n")
	long.Blocks = maxTrials
	if got := expand(t, long, 1).Estimate; got != math.MaxInt64 {
		t.Errorf("got %v for a plan of centuries", got)
	}
}

func TestTooManyTrials(t *testing.T) {
	var levels []string
	for i := range maxItems {
		levels = append(levels, fmt.Sprint(i+1))
	}
	list := "[" + strings.Join(levels, ", ") + "]"
	src := minimal + "factors:\n"
	for _, name := range []string{"connections", "env.A", "env.B", "env.C", "env.D", "env.E", "env.F", "env.G"} {
		src += "  " + name + ": " + list + "\n"
	}
	huge := parse(t, src)
	many := parse(t, minimal)
	many.Blocks = math.MaxInt
	none := parse(t, src)
	none.Factors[7].Levels = nil

	for name, s := range map[string]*Study{"levels": huge, "blocks": many, "a factor without levels": none} {
		allocated := testing.AllocsPerRun(1, func() {
			_, err := Expand(s, 1)
			if err == nil || !strings.Contains(err.Error(), "more than the 100000 trials that are allowed: take fewer levels or blocks") {
				t.Errorf("%s: got %v", name, err)
			}
		})
		if allocated > 1000 {
			t.Errorf("%s: %v allocations to refuse a study", name, allocated)
		}
	}
}

func TestAsManyTrialsAsAllowed(t *testing.T) {
	s := parse(t, minimal)
	s.Blocks = maxTrials
	if p := expand(t, s, 1); len(p.Trials) != maxTrials {
		t.Errorf("got %d trials", len(p.Trials))
	}
	s.Blocks++
	if _, err := Expand(s, 1); err == nil {
		t.Error("one more is allowed")
	}
}

// A network lies before the cells of its subject, and a level changes its round-trip time alone.
func TestExpandNetworks(t *testing.T) {
	s := parse(t, `study: s
subjects:
  - {name: near, run: ./a}
  - {name: far, run: ./a, network: {rtt: 4ms, mtu: 9000, pause: 30ms, every: 500ms}}
factors: {rtt: [none, 250us]}
twin: false
`)
	plan, err := Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, c := range plan.Cells {
		got[c.Subject+" "+c.Levels["rtt"]] = fmt.Sprint(c.describeNetwork())
		if (c.Network == nil) != (c.Levels["rtt"] == "none") || c.Network != nil && c.Network.RTT != 250*time.Microsecond {
			t.Errorf("%s at %s: %+v", c.Subject, c.Levels["rtt"], c.Network)
		}
	}
	if len(got) != 4 || s.Subjects[1].Network.RTT != 4*time.Millisecond {
		t.Errorf("%v; the subject's own is %+v", got, s.Subjects[1].Network)
	}
	s.Factors = nil
	if plan, err = Expand(s, 1); err != nil {
		t.Fatal(err)
	}
	if far := plan.Cells[1]; far.Network == nil || *far.Network != (link.Link{RTT: 4 * time.Millisecond, MTU: 9000, Pause: 30 * time.Millisecond, Every: 500 * time.Millisecond}) || len(far.describeNetwork()) != 3 {
		t.Errorf("%+v", far.Network)
	}
}
