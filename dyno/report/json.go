package report

import (
	"encoding/json"
	"fmt"
	"io"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/finding"
)

// JSON writes the whole analysis, indented, map keys sorted. What is valid only because
// somebody accepted a finding is "accepted".
func JSON(w io.Writer, a *analysis.Analysis) error {
	said := *a
	said.Validity = finding.Validity(a.Level())
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(&said); err != nil {
		return fmt.Errorf("report: writing JSON: %w", err)
	}
	return nil
}
