package statstest

import (
	"math"
	"math/rand/v2"

	"dyno.example/dyno/stats"
)

// Response is a function whose Sobol indices are known.
type Response struct {
	Name         string
	Of           func(x []float64) float64
	First, Total []float64
	Variance     float64
}

// Responses are additive, with interactions, and curved.
func Responses() []Response {
	// Ishigami and Homma, "An Importance Quantification Technique in Uncertainty Analysis
	// for Computer Models", 1990, with a = 7 and b = 0.1.
	const a, b = 7, 0.1
	pi4 := math.Pow(math.Pi, 4)
	v1, v2, v13 := 0.5*math.Pow(1+b*pi4/5, 2), a*a/8.0, b*b*pi4*pi4*8/225
	all := v1 + v2 + v13
	return []Response{
		{
			Name: "additive", Variance: (16 + 4 + 1) / 12.0,
			Of:    func(x []float64) float64 { return 4*x[0] + 2*x[1] + x[2] },
			First: []float64{16.0 / 21, 4.0 / 21, 1.0 / 21}, Total: []float64{16.0 / 21, 4.0 / 21, 1.0 / 21},
		},
		{
			// (1+x)(1+2y)(1+0.5z) less its mean: products of variances and squared means.
			Name: "products", Variance: product(-1),
			Of:    func(x []float64) float64 { return (1 + x[0]) * (1 + 2*x[1]) * (1 + 0.5*x[2]) },
			First: []float64{first(0), first(1), first(2)}, Total: []float64{total(0), total(1), total(2)},
		},
		{
			Name: "Ishigami", Variance: all,
			Of: func(x []float64) float64 {
				p := func(i int) float64 { return math.Pi * (2*x[i] - 1) }
				return math.Sin(p(0)) + a*math.Pow(math.Sin(p(1)), 2) + b*math.Pow(p(2), 4)*math.Sin(p(0))
			},
			First: []float64{v1 / all, v2 / all, 0}, Total: []float64{(v1 + v13) / all, v2 / all, v13 / all},
		},
	}
}

// Of the product function: the mean of each factor, and its variance over its squared
// mean.
var (
	factorMeans = [3]float64{1.5, 2, 1.25}
	factorShare = [3]float64{1.0 / 12 / 2.25, 4.0 / 12 / 4, 0.25 / 12 / 1.5625}
)

// product is the variance of the product, without factor i's share.
func product(i int) float64 {
	square, all := 1.0, 1.0
	for k := range factorMeans {
		square *= factorMeans[k] * factorMeans[k]
		if k != i {
			all *= 1 + factorShare[k]
		}
	}
	return square * (all - 1)
}

func first(i int) float64 {
	square := 1.0
	for _, m := range factorMeans {
		square *= m * m
	}
	return square * factorShare[i] / product(-1)
}

// total is what stays if only factor i varies: all but what is left without it.
func total(i int) float64 { return 1 - product(i)/product(-1) }

// SobolIntervals is how often the intervals of a function's indices hold them, where
// each value has noise of so many of the function's standard deviations, and what the
// estimates are on average less the truth, for first order and total.
func SobolIntervals(f Response, groups int, noise float64, known bool, studies int, seed uint64) (first, total Rate, firstBias, totalBias float64) {
	dims := len(f.First)
	r := rand.New(rand.NewPCG(seed, 0x736f62))
	deviation := noise * math.Sqrt(f.Variance)
	for study := range studies {
		rows := stats.Saltelli(groups, dims, uint64(study)+seed<<32)
		y := make([]float64, len(rows))
		for i, row := range rows {
			y[i] = f.Of(row) + deviation*r.NormFloat64()
		}
		taken := 0.0
		if known {
			taken = deviation * deviation
		}
		for d, index := range stats.Sobol(y, nil, groups, dims, taken, 0.95, uint64(study)) {
			if index.First.Level == 0 {
				continue
			}
			first.Add(index.First.Contains(f.First[d]))
			total.Add(index.Total.Contains(f.Total[d]))
			firstBias += (index.First.Estimate - f.First[d]) / float64(studies*dims)
			totalBias += (index.Total.Estimate - f.Total[d]) / float64(studies*dims)
		}
	}
	return first, total, firstBias, totalBias
}
