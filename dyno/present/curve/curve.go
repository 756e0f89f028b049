// Package curve draws pages with curves that need no script: a few charts in SVG and a
// table. The charts of reports (dyno/report/assets) are drawn in the browser, as they
// have to be looked into.
package curve

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"dyno.example/dyno/present"
)

// Page is a self-contained page with charts and a table.
type Page struct {
	Lang                    string // of its texts, as "en"
	Title, Question, Result string
	Facts                   [][2]string
	Notes                   []string
	Charts                  []Chart
	Figures                 string // title of the table
	Head                    []string
	Rows                    [][]string
}

// Chart is a set of points over an axis that begins at 0, as both axes do.
type Chart struct {
	Title, X, Y string
	Series      []Series
}

// Series is drawn as points and, with Line, as a line through them; with only a
// line if Bare.
type Series struct {
	Name, Class string
	Points      [][2]float64
	Line, Bare  bool
}

var pageTemplate = template.Must(template.New("curve").Parse(`<!DOCTYPE html>
<html lang="{{.Lang}}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>{{.Title}}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}.result{font-size:1.25rem;font-weight:600}
.wide{overflow-x:auto}table{border-collapse:collapse;white-space:nowrap;font-variant-numeric:tabular-nums}td,th{padding:.2rem .8rem;text-align:right;border-bottom:1px solid #ddd}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dt{color:#666}dd{margin:0;overflow-wrap:anywhere}h1,p,li{overflow-wrap:anywhere}
svg{width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:#555}.axis{stroke:#999;fill:none}.grid{stroke:#eee}
.good{fill:#1a7f4b;stroke:#1a7f4b}.bad{fill:#c0392b;stroke:#c0392b}.main{fill:#2563a8;stroke:#2563a8}.other{fill:#b7791f;stroke:#b7791f}
polyline{fill:none!important;stroke-width:1.5}svg text.key{stroke:none}
@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}dt{color:#999}td,th{border-color:#333}.grid{stroke:#2a2a2a}svg text{fill:#aaa}}
</style></head><body>
<h1>{{.Title}}</h1><p>{{.Question}}</p><p class="result">{{.Result}}</p>
<dl>{{range .Facts}}<dt>{{index . 0}}</dt><dd>{{index . 1}}</dd>{{end}}</dl>
{{with .Notes}}<ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{range .Charts}}<h2>{{.Title}}</h2>{{.SVG}}{{end}}
<h2>{{.Figures}}</h2><div class="wide"><table><thead><tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr></thead>
<tbody>{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>{{end}}</tbody></table></div>
</body></html>
`))

func (p *Page) Write(w io.Writer) error {
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		return err
	}
	_, err := w.Write(present.Harmless(out.Bytes()))
	return err
}

// Size of a chart and the room for its labels, in SVG units.
const (
	chartWidth, chartHeight     = 800.0, 320.0
	chartLeft, chartBottom      = 80.0, 40.0
	chartRight, chartTop        = 20.0, 30.0
	plotWidth                   = chartWidth - chartLeft - chartRight
	plotHeight                  = chartHeight - chartBottom - chartTop
	ticks                       = 5
	keyStep                     = 150.0
	pointRadius                 = 3.5
	labelBelow, labelLeft, keyY = 16.0, 6.0, 18.0
)

// SVG draws the chart.
func (c Chart) SVG() template.HTML {
	var b strings.Builder
	stepX, stepY := c.step(0), c.step(1)
	topX, topY := stepX*ticks, stepY*ticks
	x := func(v float64) float64 { return chartLeft + v/topX*plotWidth }
	y := func(v float64) float64 { return chartTop + plotHeight - v/topY*plotHeight }
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img">`, chartWidth, chartHeight)
	for i := range ticks + 1 {
		vx, vy := stepX*float64(i), stepY*float64(i)
		fmt.Fprintf(&b, `<line class="grid" x1="%g" x2="%g" y1="%.1f" y2="%.1f"/>`, chartLeft, chartWidth-chartRight, y(vy), y(vy))
		fmt.Fprintf(&b, `<text text-anchor="end" x="%g" y="%.1f">%s</text>`, chartLeft-labelLeft, y(vy)+4, tickText(vy, stepY))
		fmt.Fprintf(&b, `<text text-anchor="middle" x="%.1f" y="%g">%s</text>`, x(vx), chartTop+plotHeight+labelBelow, tickText(vx, stepX))
	}
	fmt.Fprintf(&b, `<path class="axis" d="M%g %gV%gH%g"/>`, chartLeft, chartTop, chartTop+plotHeight, chartWidth-chartRight)
	fmt.Fprintf(&b, `<text text-anchor="end" x="%g" y="%g">%s</text>`, chartWidth-chartRight, chartHeight-6, template.HTMLEscapeString(c.X))
	fmt.Fprintf(&b, `<text x="4" y="%g">%s</text>`, keyY, template.HTMLEscapeString(c.Y))
	key := chartLeft + 80
	for _, s := range c.Series {
		if len(s.Points) == 0 {
			continue
		}
		s.draw(&b, x, y)
		fmt.Fprintf(&b, `<text class="key %s" x="%g" y="%g">%s</text>`, s.Class, key, keyY, template.HTMLEscapeString(s.Name))
		key += keyStep
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func (s *Series) draw(b *strings.Builder, x, y func(float64) float64) {
	if s.Line && len(s.Points) > 1 {
		fmt.Fprintf(b, `<polyline class="%s" points="`, s.Class)
		for _, p := range s.Points {
			fmt.Fprintf(b, "%.1f,%.1f ", x(p[0]), y(p[1]))
		}
		b.WriteString(`"/>`)
	}
	if s.Bare {
		return
	}
	for _, p := range s.Points {
		fmt.Fprintf(b, `<circle class="%s" cx="%.1f" cy="%.1f" r="%g"><title>%.5g: %.5g</title></circle>`, s.Class, x(p[0]), y(p[1]), pointRadius, p[0], p[1])
	}
}

// step is a round distance between the marks of an axis (0 for x, 1 for y), so
// that all points fit.
func (c Chart) step(axis int) float64 {
	top := 0.0
	for _, s := range c.Series {
		for _, p := range s.Points {
			top = max(top, p[axis])
		}
	}
	if top <= 0 {
		return 1
	}
	rough := top / ticks
	unit := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, factor := range []float64{1, 2, 2.5, 5} {
		if factor*unit >= rough {
			return factor * unit
		}
	}
	return 10 * unit
}

func tickText(v, step float64) string {
	if step >= 1 && step == math.Floor(step) {
		return present.Number(v)
	}
	return fmt.Sprintf("%.3g", v)
}
