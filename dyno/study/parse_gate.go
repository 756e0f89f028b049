package study

import (
	"dyno.example/dyno/regression/threshold"
	"dyno.example/internal/i18n"
)

// gateAt reads what dyno gate takes for a regression: a list of expressions.
func gateAt(at scope) []threshold.Threshold {
	var list []threshold.Threshold
	for _, item := range at.list() {
		text := item.filled("")
		if text == "" {
			continue
		}
		thresholds, err := threshold.ParseList(text, Metrics())
		if err != nil {
			item.Report(i18n.From(err))
		}
		list = append(list, thresholds...)
	}
	return list
}
