package report

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
)

var screenshots = flag.String("screenshots", "", "folder to write screenshots of a made-up report to")

// TestScreenshots writes pictures to look at when -screenshots is given:
//
//	go test ./dyno/report -run Screenshots -screenshots /tmp/report
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("no -screenshots folder given")
	}
	full, loads := eight(), eight()
	loads.open = true
	spoilt, blind := eight(), eight()
	spoilt.spoilt = true
	blind.subjects, blind.costs, blind.blind, blind.blocks = []string{"my service"}, []float64{20}, true, 1
	for _, shot := range []struct {
		name, lang string
		analysis   *analysis.Analysis
		view       viewport
	}{
		{"desktop", "en", full.make(), desktop},
		{"dark", "en", full.make(), viewport{1280, 900, "dark"}},
		{"phone", "en", full.make(), viewport{390, 844, "light"}},
		{"chinese", "zh", full.make(), desktop},
		{"loads", "en", loads.make(), desktop},
		{"spoilt", "en", spoilt.make(), desktop},
		{"blind", "en", blind.make(), desktop},
		{"claims", "en", ruled(), desktop},
		{"claims-dark", "en", ruled(), viewport{1280, 900, "dark"}},
		{"claims-phone", "en", ruled(), viewport{390, 844, "light"}},
		{"claims-chinese", "zh", ruled(), viewport{390, 844, "dark"}},
		{"many", "en", fortySubjects(), viewport{1400, 900, "light"}},
		{"many-dark", "en", fortySubjects(), viewport{1400, 900, "dark"}},
		{"many-phone", "en", fortySubjects(), viewport{390, 844, "light"}},
		{"many-phone-chinese", "zh", fortySubjects(), viewport{390, 844, "dark"}},
		{"archived", "en", analysed(t, analysistest.Run(7)), desktop},
		{"tails", "en", explainedTails(), desktop},
		{"tails-dark", "zh", explainedTails(), viewport{390, 844, "dark"}},
		{"services", "en", allOnServices(), desktop},
		{"services-dark", "zh", allOnServices(), viewport{1280, 900, "dark"}},
		{"unusable", "en", nothingUsable(t), desktop},
		{"unusable-phone-chinese", "zh", nothingUsable(t), viewport{390, 844, "dark"}},
	} {
		t.Run(shot.name, func(t *testing.T) {
			tb := openReport(t, browser(t), shot.analysis, shot.lang, shot.view)
			picture, err := chromedp.Run(tb.ctx, chromedp.FullScreenshot(100))
			if err != nil {
				tb.fatal(err)
			}
			if err := os.WriteFile(filepath.Join(*screenshots, shot.name+".png"), picture, 0o644); err != nil {
				t.Fatal(err)
			}
			tb.clean()
		})
	}
}
