package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/internal/shell"
	"dyno.example/dyno/present"
	"dyno.example/internal/i18n"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed assets/report.css assets/*.js
var assetFiles embed.FS

// scripts are the page's scripts in the order they run: the chart library,
// what the charts share, the charts, and the start.
var scripts = []string{
	"echarts.min.js",
	"core.js", "format.js", "theme.js", "chart.js",
	"filter.js", "languages.js", "ranking.js", "intervals.js", "multiples.js", "percentiles.js", "colours.js", "heatmap.js", "panels.js", "windows.js", "interactions.js",
	"start.js",
}

// page is what the templates show.
type page struct {
	language
	Run       *archive.Manifest
	Answers   []answer
	Badge     badge
	Ending    string
	Facts     []fact
	Claims    []ruling
	Rankings  []ranking
	Ranked    []languageTable // of each ranking
	Variance  []sensitivityTable
	Crossed   []string       // factors whose interactions can be drawn; none if there are not two
	Services  []serviceTable // of each ranking; without rows for studies without services
	Stages    []stageTable   // of each ranking; without rows for loads of one stage
	Statuses  []statusTable
	Requests  []requestTable
	Unusable  []unusableTable // of each ranking; without rows if all subjects have usable trials
	Empty     []hollow
	Curves    []curveTable
	Heat      []heatTable
	Findings  []explained
	Explained []explanation // of each cell of which there is something to say
	Left      []left
	Failed    []failed
	Machine   []fact
	Method    []fact
	Command   string
	Bounded   string // what the charts leave out for the page's size; empty if nothing
	Style     template.CSS
	Data      template.JS
	Scripts   []template.JS
}

// HTML writes the report as one self-contained page in the language given
// ("en" if empty; see [Languages]). The page needs no network, and refuses it.
func HTML(w io.Writer, a *analysis.Analysis, lang string) error {
	p, err := newPage(a, lang)
	if err != nil {
		return err
	}
	t, err := template.ParseFS(templateFiles, "templates/*.html")
	if err != nil {
		return fmt.Errorf("report: reading the page's templates: %w", err)
	}
	var out bytes.Buffer // so that a failure leaves no half page behind
	if err := t.ExecuteTemplate(&out, "page.html", p); err != nil {
		return fmt.Errorf("report: filling the page: %w", err)
	}
	if _, err := w.Write(present.Harmless(out.Bytes())); err != nil {
		return fmt.Errorf("report: writing the page: %w", err)
	}
	return nil
}

func newPage(a *analysis.Analysis, lang string) (*page, error) {
	c, err := openLanguage(lang)
	if err != nil {
		return nil, err
	}
	p := &page{
		language: c, Run: &a.Run, Answers: answers(a, c), Badge: newBadge(a, c), Ending: ending(a, c),
		Facts: keyFacts(a, c), Claims: rulings(a, c), Findings: explainFindings(a, c), Left: leftOut(a, c), Failed: failedRequests(a, c),
		Machine: machineFacts(a.Run.Machine, c), Method: methodFacts(a, c), Command: shell.Join(a.Run.Command),
		Variance: sensitivityTables(a, c), Crossed: crossed(a), Empty: hollowSections(a, c),
	}
	for i := range a.Groups {
		t := rank(a, &a.Groups[i], c)
		p.Rankings = append(p.Rankings, t)
		p.Ranked = append(p.Ranked, newLanguageTable(a, t, c))
		p.Stages = append(p.Stages, newStageTable(t))
		p.Services = append(p.Services, newServiceTable(t, c))
		p.Statuses = append(p.Statuses, newStatusTable(t))
		p.Requests = append(p.Requests, newRequestTable(t))
		p.Unusable = append(p.Unusable, newUnusableTable(a, &a.Groups[i], c))
		p.Curves = append(p.Curves, newCurveTable(a, t, c))
		p.Heat = append(p.Heat, newHeatTable(a, t))
	}
	p.Explained = explanations(a, c)
	kept, part := boundSeconds(a, mostSeconds)
	p.Bounded = part.note(c)
	return p, p.embed(newIsland(a, p.Rankings, kept, c))
}

// embed puts style, data and scripts into the page.
func (p *page) embed(i island) error {
	data, err := i.encode()
	if err != nil {
		return err
	}
	p.Data = template.JS(data)
	style, err := assetFiles.ReadFile("assets/report.css")
	if err != nil {
		return fmt.Errorf("report: reading the page's style: %w", err)
	}
	p.Style = template.CSS(style)
	for _, name := range scripts {
		js, err := assetFiles.ReadFile("assets/" + name)
		if err != nil {
			return fmt.Errorf("report: reading the page's scripts: %w", err)
		}
		p.Scripts = append(p.Scripts, template.JS(js))
	}
	return nil
}

// T is the text of a key for the templates; pairs as in language.text.
func (p *page) T(key string, pairs ...any) string { return p.text(key, pairs...) }

// Say tells a message in the language of the page.
func (p *page) Say(m i18n.Message) string { return p.say(m) }

// Lang is the language of the page, as in its lang attribute.
func (p *page) Lang() string { return p.lang }

// Title is the page's title: the study and the run.
func (p *page) Title() string {
	return words(p.Run.Study, p.text("title")) + " · dyno"
}

// Question is what the study asks, or its name if it asks nothing.
func (p *page) Question() string { return words(p.Run.Question, p.Run.Study, p.text("title")) }

// Micros writes a time given in µs.
func (p *page) Micros(us float64) string { return quantity("µs", us) }

// Count writes a number of things, as language.count.
func (p *page) Count(key string, n int) string { return p.count(key, n) }

// ClaimLevel is the confidence of the claims' effects.
func (p *page) ClaimLevel() string { return levelOf(p.Claims) }

// Class is what a verdict is drawn as.
func (p *page) Class(v claim.Verdict) string {
	switch {
	case v.Confirms():
		return "confirmed"
	case v.Refutes():
		return "refuted"
	case v == claim.Direction, v == claim.ByConstruction:
		return "direction"
	}
	return string(v) // one word
}

// Code is a text of any content in which what stands between backticks is code.
func (p *page) Code(text string) template.HTML {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 { // one without its other
		return template.HTML(template.HTMLEscapeString(text))
	}
	var out strings.Builder
	for i, part := range parts {
		if i%2 == 1 {
			out.WriteString("<code>" + template.HTMLEscapeString(part) + "</code>")
			continue
		}
		out.WriteString(template.HTMLEscapeString(part))
	}
	return template.HTML(out.String())
}

// Breakable is a name whose line may end after a slash.
func (p *page) Breakable(name string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(name), "/", "/<wbr>"))
}

// Short abbreviates a build hash to what a reader compares.
func (p *page) Short(hash string) string {
	_, hex, found := strings.Cut(hash, ":")
	if !found {
		hex = hash
	}
	return hex[:min(len(hex), 12)]
}

// RankingNote says what a ranking's figures are and how sure they are.
func (p *page) RankingNote(r ranking) string { return rankingNote(r, p.language, true) }
