package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestLatinHypercube(t *testing.T) {
	const n, dims = 17, 3
	points := LatinHypercube(n, dims, 5)
	for d := range dims {
		var parts []int
		for _, p := range points {
			if p[d] < 0 || p[d] >= 1 {
				t.Fatalf("%v is out of range", p[d])
			}
			parts = append(parts, int(p[d]*n))
		}
		slices.Sort(parts)
		for i, part := range parts {
			if part != i {
				t.Fatalf("dimension %d: parts %v", d, parts)
			}
		}
	}
	if again := LatinHypercube(n, dims, 5); !slices.EqualFunc(points, again, slices.Equal) {
		t.Error("the same seed gives other points")
	}
	if other := LatinHypercube(n, dims, 6); slices.EqualFunc(points, other, slices.Equal) {
		t.Error("another seed gives the same points")
	}
}

func TestSaltelliLayout(t *testing.T) {
	const n, dims = 8, 4
	rows := Saltelli(n, dims, 1)
	if len(rows) != n*(dims+2) {
		t.Fatalf("%d rows", len(rows))
	}
	for g := range n {
		group := rows[g*(dims+2):]
		a, b := group[0], group[1]
		for i := range dims {
			want := slices.Clone(a)
			want[i] = b[i]
			if got := group[2+i]; !slices.Equal(got, want) || a[i] == b[i] {
				t.Errorf("group %d: AB%d is %v of %v and %v", g, i+1, got, a, b)
			}
		}
	}
}

// ishigami is Ishigami and Homma's function, 1990, of three inputs in [0,1).
func ishigami(x []float64) float64 {
	at := func(i int) float64 { return math.Pi * (2*x[i] - 1) }
	return math.Sin(at(0)) + 7*math.Pow(math.Sin(at(1)), 2) + 0.1*math.Pow(at(2), 4)*math.Sin(at(0))
}

// ishigamiIndices are its indices in closed form.
func ishigamiIndices() (first, total [3]float64) {
	const a, b = 7.0, 0.1
	p4, p8 := math.Pow(math.Pi, 4), math.Pow(math.Pi, 8)
	v1, v2, v13 := math.Pow(1+b*p4/5, 2)/2, a*a/8, b*b*p8*(1.0/18-1.0/50)
	v := v1 + v2 + v13
	return [3]float64{v1 / v, v2 / v, 0}, [3]float64{(v1 + v13) / v, v2 / v, v13 / v}
}

func evaluate(f func([]float64) float64, rows [][]float64) []float64 {
	y := make([]float64, len(rows))
	for i, row := range rows {
		y[i] = f(row)
	}
	return y
}

func TestSobolOfIshigami(t *testing.T) {
	const n = 4000
	first, total := ishigamiIndices()
	if math.Abs(first[0]-0.3139) > 1e-4 || math.Abs(first[1]-0.4424) > 1e-4 || math.Abs(total[2]-0.2437) > 1e-4 {
		t.Fatalf("first %v, total %v", first, total)
	}
	for d, got := range Sobol(evaluate(ishigami, Saltelli(n, 3, 1)), nil, n, 3, 0, 0.95, 1) {
		if math.Abs(got.First.Estimate-first[d]) > 0.04 || math.Abs(got.Total.Estimate-total[d]) > 0.03 {
			t.Errorf("input %d: %+v, want %v and %v", d, got, first[d], total[d])
		}
		if got.First.N != n || got.First.High-got.First.Low > 0.15 || got.Total.High-got.Total.Low > 0.1 {
			t.Errorf("input %d: %+v", d, got)
		}
	}
}

// The intervals hold the analytic indices about as often as they say.
func TestSobolCoverage(t *testing.T) {
	const n, runs = 128, 60
	first, total := ishigamiIndices()
	covered, of := 0, 0
	for seed := range uint64(runs) {
		for d, got := range Sobol(evaluate(ishigami, Saltelli(n, 3, seed)), nil, n, 3, 0, 0.95, seed) {
			of += 2
			if got.First.Contains(first[d]) {
				covered++
			}
			if got.Total.Contains(total[d]) {
				covered++
			}
		}
	}
	if share := float64(covered) / float64(of); share < 0.88 {
		t.Errorf("intervals hold the index in %.3f of the cases", share)
	}
}

func TestSobolLeavesOutFailedGroups(t *testing.T) {
	const n, dims = 200, 2
	y := evaluate(func(x []float64) float64 { return 3*x[0] + x[1] }, Saltelli(n, dims, 2))
	y[5] = math.NaN()
	for d, want := range []float64{0.9, 0.1} {
		got := Sobol(y, nil, n, dims, 0, 0.95, 1)[d]
		if got.First.N != n-1 || math.Abs(got.First.Estimate-want) > 0.06 || math.Abs(got.Total.Estimate-want) > 0.06 {
			t.Errorf("input %d: %+v, want %v", d, got, want)
		}
	}
}

func TestSobolSaysWhatItLacks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	noisy := make([]float64, 4*4)
	for i := range noisy {
		noisy[i] = r.Float64()
	}
	for _, c := range []struct {
		name    string
		y       []float64
		n, dims int
		note    string
	}{
		{"nothing", nil, 0, 2, "no complete group of trials"},
		{"all failed", slices.Repeat([]float64{math.NaN()}, 8), 2, 2, "no complete group of trials"},
		{"constant", slices.Repeat([]float64{0.1}, 40), 10, 2, "the result does not vary, or no more than by noise"},
		{"few", noisy, 4, 2, "need ≥ 8 complete groups for an interval"},
	} {
		for _, got := range Sobol(c.y, nil, c.n, c.dims, 0, 0.95, 1) {
			if got.First.Note.String() != c.note || got.Total.Note.String() != c.note || got.First.Level != 0 {
				t.Errorf("%s: %+v, want %q", c.name, got, c.note)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Sobol([]float64{1, 2}, nil, 1, 2, 0, 0.95, 1)
}

// Noise that is known and subtracted biases no total index; else it does.
func TestSobolSubtractsNoise(t *testing.T) {
	const n, studies, noise = 64, 40, 0.5
	r := rand.New(rand.NewPCG(8, 8))
	bias := func(known float64) (mean float64) {
		for study := range uint64(studies) {
			y := evaluate(func(x []float64) float64 { return 4*x[0] + 2*x[1] + x[2] }, Saltelli(n, 3, study))
			deviation := noise * math.Sqrt(21.0/12)
			for i := range y {
				y[i] += deviation * r.NormFloat64()
			}
			mean += (Sobol(y, nil, n, 3, known*deviation*deviation, 0.95, study)[1].Total.Estimate - 4.0/21) / studies
		}
		return mean
	}
	if got := bias(1); math.Abs(got) > 0.04 {
		t.Errorf("subtracted, total is off by %.3f", got)
	}
	if got := bias(0); got < 0.1 {
		t.Errorf("not subtracted, total is off by %.3f only: the simulation can't tell", got)
	}
	if i := Sobol(evaluate(func(x []float64) float64 { return x[0] }, Saltelli(8, 1, 1)), nil, 8, 1, 10, 0.95, 1)[0]; i.Total.Level != 0 {
		t.Errorf("all is noise, yet %+v", i)
	}
}
