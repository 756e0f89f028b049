package report

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

//go:embed testdata/overlaps.js
var overlaps string

// TestPageOfManySubjects looks at a report of 40 subjects, 3 requests and 2 loads in a
// real browser: nothing overlaps on any screen, and filters hold for tables and charts.
func TestPageOfManySubjects(t *testing.T) {
	tb := openReport(t, browser(t), fortySubjects(), "en", viewport{1400, 900, "light"})
	for _, v := range []viewport{{1400, 900, ""}, {768, 1024, ""}, {390, 844, ""}} {
		tb.resize(v)
		settled(tb)
		got := eval[struct {
			Texts int
			Found []string
		}](tb, overlaps)
		if len(got.Found) > 0 || got.Texts < 500 {
			t.Errorf("%d×%d: of %d texts, these lie on each other:\n%s", v.width, v.height, got.Texts, strings.Join(got.Found, "\n"))
		}
		if w := eval[int](tb, `document.documentElement.scrollWidth`); int64(w) > v.width {
			t.Errorf("the page is %d px wide on a screen of %d", w, v.width)
		}
		checkDrawn(tb, 2+1+4+9) // cost, heat map, and the panels of both ends
		if n := eval[int](tb, `[...document.querySelectorAll(".multiple .line")].filter((line) => line.getBoundingClientRect().width > 60).length`); n != 40 {
			t.Errorf("%d×%d: %d subjects have a line of response times, want 40", v.width, v.height, n)
		}
	}
	checkFilter(tb)
	checkAddress(tb)
	tb.clean()
}

// settled waits until charts have taken the size of the page.
func settled(tb *tab) {
	tb.t.Helper()
	eval[bool](tb, `(requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.settled = innerWidth; })), true)`)
	tb.do(chromedp.PollFunction[chromedp.Void](`() => document.documentElement.dataset.settled === String(innerWidth)`))
}

// seen are what the tables and charts of the first load show.
type seen struct {
	Ranking, Languages, Panels []string
	Heat                       int
	Status                     string
	Hash                       string
}

func look(tb *tab) seen {
	tb.t.Helper()
	return eval[seen](tb, `(() => {
		const texts = (query) => [...document.querySelectorAll(query)].map((element) => element.textContent.trim());
		return {
			Ranking: texts('table.ranking[data-group="0"] tbody tr:not([hidden]) .label'),
			Languages: [...document.querySelectorAll('table.languages[data-group="0"] tbody tr:not([hidden])')].map((row) => [row.cells[0], row.cells[1]].map((cell) => cell.textContent.trim().replace(/\s+/g, ' ')).join(' ')),
			Panels: texts('.multiple b'),
			Heat: dyno.heat.layout?.shown.length ?? 0,
			Status: dyno.byId('filter-status').textContent,
			Hash: location.hash,
		};
	})()`)
}

// press uses a control of the filter as a keyboard does.
func press(tb *tab, control, key string) {
	tb.t.Helper()
	tb.do(chromedp.Focus(chromedp.CSS(control)), chromedp.KeyEvent(key))
}

// pick picks an option of a select by the first letters of it.
func pick(tb *tab, name, value string) {
	tb.t.Helper()
	eval[bool](tb, fmt.Sprintf(`(() => { const s = document.querySelector('#filter [name=%s]'); s.value = %q; return s.dispatchEvent(new Event("change", { bubbles: true })); })()`, name, value))
}

func checkFilter(tb *tab) {
	all := look(tb)
	languages := len(languagesOf(fortyNames))
	if len(all.Ranking) != 40 || len(all.Languages) != languages || len(all.Panels) != 40 || all.Heat != 40 || all.Hash != "" {
		tb.t.Errorf("without a filter: %+v", all)
	}
	// Scripts rank languages as the page does: the same without a filter.
	eval[bool](tb, `(dyno.filter.apply(), true)`)
	if again := look(tb); !slices.Equal(again.Languages, all.Languages) {
		tb.t.Errorf("ranked again, languages are\n%s\nwhich were\n%s", strings.Join(again.Languages, "\n"), strings.Join(all.Languages, "\n"))
	}
	press(tb, ".choose summary", "\r")
	press(tb, `#filter [value="go"]`, " ")
	press(tb, `#filter [value="rust"]`, " ")
	some := look(tb)
	for _, name := range some.Ranking {
		if !strings.HasPrefix(name, "go/") && !strings.HasPrefix(name, "rust/") {
			tb.t.Errorf("the filter lets %s through", name)
		}
	}
	if len(some.Ranking) != 6 || !slices.Equal(some.Panels, some.Ranking) || some.Heat != 6 || len(some.Languages) != 2 || some.Status != "6 of 40 subjects" {
		tb.t.Errorf("two languages: %+v", some)
	}
	if some.Hash != "#ranking?language=go&language=rust" {
		tb.t.Errorf("the address is %s", some.Hash)
	}
	tb.do(chromedp.Click(chromedp.CSS(`#filter [type="reset"]`)))
	tb.do(chromedp.PollFunction[chromedp.Void](`() => !location.hash.includes("?")`))
	if back := look(tb); len(back.Ranking) != 40 || strings.Contains(back.Hash, "?") {
		tb.t.Errorf("reset: %d subjects, %s", len(back.Ranking), back.Hash)
	}
	pick(tb, "rank", "5")
	if best := look(tb); len(best.Ranking) < 5 || len(best.Ranking) > 8 || best.Ranking[0] != all.Ranking[0] || best.Languages[0] != all.Languages[0] {
		tb.t.Errorf("the first five ranks: %+v", best)
	}
	press(tb, `#filter [name="best"]`, " ")
	pick(tb, "rank", "")
	if best := look(tb); len(best.Ranking) != languages || len(best.Panels) != languages {
		tb.t.Errorf("the best of each language: %+v", best)
	}
	press(tb, `#filter [name="best"]`, " ")
	pick(tb, "role", "engine")
	if engines := look(tb); len(engines.Ranking) != 4 || !strings.HasPrefix(engines.Languages[0], "1 ") {
		tb.t.Errorf("engines: %+v", engines)
	}
	pick(tb, "rank", "1")
	if none := look(tb); len(none.Ranking) == 0 && eval[int](tb, `document.querySelectorAll("#chart-cpu .message, #percentiles-multiples .message, #chart-heat .message").length`) != 3 {
		tb.t.Errorf("nobody is shown, and charts don't say why: %+v", none)
	}
}

// checkAddress checks that a filter in the page's address holds from the beginning, and
// that going to another section keeps it.
func checkAddress(tb *tab) {
	tb.do(chromedp.Navigate("about:blank"), chromedp.Navigate(tb.url+"#heat?language=c&language=nosuch&role=production"), chromedp.WaitReady(chromedp.CSS(`html[data-ready="true"]`)))
	first := look(tb)
	if len(first.Ranking) == 0 || len(first.Ranking) > 2 || !strings.HasPrefix(first.Ranking[0], "c/") || !eval[bool](tb, `document.querySelector('#filter [value="c"]').checked`) {
		tb.t.Errorf("opened with a filter: %+v", first)
	}
	if top := eval[float64](tb, `dyno.byId("heat").getBoundingClientRect().top`); top < -10 || top > 400 {
		tb.t.Errorf("the section asked for is %g px away", top)
	}
	tb.do(chromedp.Click(chromedp.CSS(`nav a[href="#percentiles"]`)))
	tb.do(chromedp.PollFunction[chromedp.Void](`() => location.hash === "#percentiles?language=c&role=production"`))
	if after := look(tb); !slices.Equal(after.Ranking, first.Ranking) {
		tb.t.Errorf("in another section: %+v", after)
	}
}
