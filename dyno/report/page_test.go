package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"dyno.example/dyno/analysis"
)

// TestPage looks at reports in a real browser.
func TestPage(t *testing.T) {
	ctx := browser(t)
	open := func(t *testing.T, a *analysis.Analysis, v viewport) *tab { return openReport(t, ctx, a, "en", v) }
	full := eight().make()

	t.Run("charts are drawn", func(t *testing.T) {
		tb := open(t, full, viewport{1280, 900, "dark"})
		checkDrawn(tb, 2+1+1+4+9) // cost, percentiles, heat map, and the panels of both ends
		tb.clean()
	})
	t.Run("it can be used", func(t *testing.T) {
		tb := open(t, full, desktop)
		checkFigures(tb)
		checkSorting(tb)
		checkCursor(tb)
		checkHeatMap(tb)
		checkControls(tb)
		tb.clean()
	})
	t.Run("several loads", func(t *testing.T) {
		f := eight()
		f.open = true
		checkLoads(open(t, f.make(), desktop))
	})
	t.Run("hostile names", func(t *testing.T) {
		tb := open(t, hostileAnalysis(), desktop)
		if n := eval[int](tb, `document.querySelectorAll("main img").length`); n != 0 {
			t.Errorf("%d images made of names", n)
		}
		if !strings.Contains(eval[string](tb, `document.querySelector("h1").textContent`), "<img src=x") {
			t.Error("the question is not shown as it was written")
		}
		tb.clean()
	})
	t.Run("nothing to draw", func(t *testing.T) { checkMessages(t, open) })
	t.Run("phone", func(t *testing.T) {
		for _, a := range []*analysis.Analysis{full, hostileAnalysis()} {
			tb := open(t, a, viewport{360, 740, "light"})
			if w := eval[int](tb, `document.documentElement.scrollWidth`); w > 360 {
				t.Errorf("the page is %d px wide on a phone of 360", w)
			}
			checkDrawn(tb, 17)
			tb.clean()
		}
	})
	t.Run("claims", func(t *testing.T) {
		for _, v := range []viewport{desktop, {360, 740, "dark"}} {
			tb := open(t, ruled(), v)
			if n := eval[int](tb, `document.querySelectorAll("#claims li .badge:not(.small)").length`); n != 5 {
				t.Errorf("%d verdicts, want 5", n)
			}
			if w := eval[int](tb, `document.documentElement.scrollWidth`); int64(w) > v.width {
				t.Errorf("the page is %d px wide on a screen of %d", w, v.width)
			}
			colours := eval[[]string](tb, `[...document.querySelectorAll("#claims .badge:not(.small)")].map((badge) => getComputedStyle(badge).color)`)
			if slices.Sort(colours); len(slices.Compact(colours)) != 5 {
				t.Errorf("verdicts share colours: %v", colours)
			}
			tb.clean()
		}
	})
	t.Run("Chinese", func(t *testing.T) {
		tb := openReport(t, ctx, full, "zh", desktop)
		if lang := eval[string](tb, `document.documentElement.lang`); lang != "zh" {
			t.Errorf("lang is %q", lang)
		}
		checkDrawn(tb, 17)
		tb.clean()
	})
}

// checkDrawn checks that there are so many charts and that each holds shapes.
func checkDrawn(tb *tab, want int) {
	tb.t.Helper()
	shapes := eval[map[string]int](tb, `Object.fromEntries([...document.querySelectorAll(".chart")].filter((chart) => chart.checkVisibility()).map(
		(chart, i) => [chart.getAttribute("aria-label") + i, chart.querySelectorAll("svg path, svg rect, svg circle").length]))`)
	if len(shapes) != want {
		tb.t.Errorf("%d charts, want %d: %v", len(shapes), want, shapes)
	}
	for name, n := range shapes {
		if n < 5 {
			tb.t.Errorf("chart %q has only %d shapes", name, n)
		}
	}
}

func checkControls(tb *tab) {
	colour := `getComputedStyle(document.body).backgroundColor + document.querySelector("#chart-cpu svg text").getAttribute("fill")`
	light := eval[string](tb, colour)
	tb.do(chromedp.Click(chromedp.CSS("#theme")))
	if dark := eval[string](tb, colour); dark == light || eval[string](tb, `document.documentElement.dataset.theme`) != "dark" {
		tb.t.Errorf("the theme button leaves page and charts as they were: %s", dark)
	}
	note := `document.getElementById("percentiles-note").textContent + document.querySelector("#chart-percentiles svg").outerHTML`
	response := eval[string](tb, note)
	tb.do(chromedp.Click(chromedp.CSS(`[data-clock="service"]`)))
	if eval[string](tb, note) == response {
		tb.t.Error("the service button changes nothing")
	}
	lines := `document.querySelectorAll("#chart-percentiles svg path").length`
	all := eval[int](tb, lines)
	tb.do(chromedp.Click(chromedp.CSS(`#percentiles-legend button`)))
	if eval[int](tb, lines) >= all {
		tb.t.Error("the legend hides no line")
	}
	axis := `document.querySelector("#chart-cpu svg").textContent`
	before := eval[string](tb, axis)
	tb.do(chromedp.Click(chromedp.CSS("#cost-zero")))
	if eval[string](tb, axis) == before {
		tb.t.Error("the axis does not start at zero")
	}
	tb.do(chromedp.Click(chromedp.CSS("#copy")))
	if got := eval[string](tb, `document.getElementById("copy").textContent`); got != "Copy" && got != "Copied" {
		tb.t.Errorf("the copy button says %q", got)
	}
}

func checkSorting(tb *tab) {
	names := `[...document.querySelectorAll(".ranking tbody tr")].map((row) => row.querySelector("th .label").textContent).join()`
	ranked := eval[string](tb, names)
	head := chromedp.CSS(".ranking thead th:nth-child(5) button") // throughput
	tb.do(chromedp.Focus(head), chromedp.KeyEvent("\r"))
	if got := eval[string](tb, names); got == ranked || !strings.HasPrefix(got, "go/gin") {
		tb.t.Errorf("sorted by throughput, least first: %s", got)
	}
	if got := eval[string](tb, `document.querySelector(".ranking thead th:nth-child(5)").getAttribute("aria-sort")`); got != "ascending" {
		tb.t.Errorf("aria-sort is %q", got)
	}
	tb.do(chromedp.Click(head))
	if got := eval[string](tb, names); !strings.HasPrefix(got, "go/gnet") {
		tb.t.Errorf("sorted by throughput, most first: %s", got)
	}
	if n := eval[int](tb, `document.querySelectorAll(".ranking [aria-sort]").length`); n != 1 {
		tb.t.Errorf("%d columns claim to be sorted by", n)
	}
}

// point is a place on the page, in px.
type point struct{ X, Y float64 }

func checkHeatMap(tb *tab) {
	tb.do(chromedp.ScrollIntoView(chromedp.CSS("#chart-heat")))
	at := eval[point](tb, `(() => {
		const { instance } = dyno.heat.chart, box = dyno.byId("chart-heat").getBoundingClientRect();
		const [x, y] = instance.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [0.5, 1]);
		return { X: box.x + x, Y: box.y + y };
	})()`)
	tb.do(chromedp.MouseEvent(chromedp.MouseMoved, at.X, at.Y))
	tb.do(chromedp.PollFunction[chromedp.Void](`() => document.querySelector("#chart-heat .tip")?.textContent.includes("p99")`))
	tb.do(chromedp.MouseClickXY(at.X, at.Y))
	got := eval[string](tb, `document.getElementById("windows-subject").selectedOptions[0].text + " " + document.getElementById("windows-block").selectedOptions[0].text`)
	if !strings.HasPrefix(got, "go/fasthttp block 1") {
		tb.t.Errorf("a click on the second row's first second selects %q", got)
	}
	if got := eval[string](tb, `document.getElementById("windows-readout").textContent`); !strings.HasPrefix(got, "Second 0") {
		tb.t.Errorf("the cursor reads %q", got)
	}
	tb.do(chromedp.Focus(chromedp.CSS("#chart-heat")), chromedp.KeyEvent("\u0303"), chromedp.KeyEvent("\u0301"))
	if got := eval[string](tb, `document.getElementById("heat-status").textContent`); !strings.Contains(got, "go/") {
		tb.t.Errorf("arrow keys in the heat map say %q", got)
	}
}

func checkCursor(tb *tab) {
	before := eval[string](tb, `document.getElementById("panels-server").textContent`)
	tb.do(chromedp.Focus(chromedp.CSS("#windows-charts")))
	for _, key := range []string{"Home", "ArrowRight", "ArrowRight", "ArrowRight"} {
		eval[bool](tb, fmt.Sprintf(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: %q }))`, key))
	}
	if got := eval[string](tb, `document.getElementById("windows-readout").textContent`); !strings.HasPrefix(got, "Second 1 ") {
		tb.t.Errorf("three steps after the first warm-up second the cursor reads %q", got)
	}
	if eval[string](tb, `document.getElementById("panels-server").textContent`) == before {
		tb.t.Error("the server's figures don't follow the cursor")
	}
	places := eval[[]float64](tb, `dyno.windows.shown.map(({ chart }) => {
		const lines = [...chart.element.querySelectorAll("svg path")].filter((path) => path.getAttribute("stroke") === dyno.theme.colours().text);
		return lines.length ? Math.round(lines[0].getBoundingClientRect().x - chart.element.getBoundingClientRect().x) : -1;
	})`)
	for _, x := range places {
		if x != places[0] || x < 0 {
			tb.t.Errorf("the panels' cursors stand at %v px, want all at one", places)
			break
		}
	}
	table := `document.querySelectorAll("#windows-table tbody tr").length`
	if n := eval[int](tb, table); n != 12 {
		tb.t.Errorf("the trial's table has %d rows, want 12", n)
	}
}

// checkFigures checks that scripts write figures as the rest of the page does.
func checkFigures(tb *tab) {
	for _, q := range []struct {
		unit string
		x    float64
	}{{"µs", 0.5}, {"µs", 8.5}, {"µs", 999.7}, {"µs", 41200}, {"µs", 3e6}, {"req/s", 812}, {"req/s", 81249}, {"req/s", 2e6},
		{"bytes", 512}, {"bytes", 14 << 20}, {"%", 3.14159}, {"×", 0.5591}, {"µs", 0}} {
		if got, want := eval[string](tb, fmt.Sprintf("dyno.quantity(%q, %v)", q.unit, q.x)), quantity(q.unit, q.x); got != want {
			tb.t.Errorf("%v %s is %q in the charts and %q in the tables", q.x, q.unit, got, want)
		}
	}
}

func checkLoads(tb *tab) {
	checkDrawn(tb, 17)
	if n := eval[int](tb, `document.querySelectorAll("table.ranking").length`); n != 2 {
		tb.t.Errorf("%d rankings, want one a load", n)
	}
	before := eval[string](tb, `document.querySelector("#chart-cpu svg").outerHTML`)
	eval[bool](tb, `(() => { const s = document.getElementById("group"); s.value = "1"; return s.dispatchEvent(new Event("change")); })()`)
	if eval[string](tb, `document.querySelector("#chart-cpu svg").outerHTML`) == before {
		tb.t.Error("picking another load leaves the charts as they were")
	}
	checkDrawn(tb, 17)
	tb.clean()
}

// checkMessages checks that runs without data say so where charts would be.
func checkMessages(t *testing.T, open func(*testing.T, *analysis.Analysis, viewport) *tab) {
	spoilt, blind := eight(), eight()
	spoilt.spoilt = true
	blind.subjects, blind.costs, blind.blind = blind.subjects[:1], blind.costs[:1], true
	for _, tc := range []struct {
		name     string
		analysis *analysis.Analysis
		messages []string
		drawn    []string
	}{
		{"spoilt", spoilt.make(), []string{"#ranking", "#chart-cpu", "#chart-throughput", "#chart-percentiles"}, []string{"#chart-heat", "#panels-client"}},
		{"no server side", blind.make(), []string{"#chart-cpu", "#panels-server"}, []string{"#chart-throughput", "#chart-percentiles", "#chart-heat", "#panels-client"}},
		{"empty", &analysis.Analysis{}, []string{"#ranking", "#chart-cpu", "#chart-percentiles", "#chart-heat", "#panels-client", "#panels-server"}, nil},
	} {
		tb := open(t, tc.analysis, desktop)
		for _, where := range tc.messages {
			if eval[int](tb, fmt.Sprintf(`document.querySelectorAll("%s .message").length`, where)) == 0 {
				t.Errorf("%s: %s is empty and doesn't say why", tc.name, where)
			}
		}
		for _, where := range tc.drawn {
			if eval[int](tb, fmt.Sprintf(`document.querySelectorAll("%s svg path").length`, where)) == 0 {
				t.Errorf("%s: %s is not drawn", tc.name, where)
			}
		}
		tb.clean()
	}
}
