package curve

import (
	"bytes"
	"strings"
	"testing"
)

// What is in a page is text, not markup, and charts without points don't break it.
func TestCurvePage(t *testing.T) {
	p := Page{Title: "<b>", Notes: []string{"a<b"}, Charts: []Chart{{Title: "t", X: "<x>", Y: "y"}, {Series: []Series{{Name: "<n>", Class: "main", Line: true, Points: [][2]float64{{0, 0}, {3, 7}}}}}}}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	holds(t, b.String(), "&lt;b&gt;", "a&lt;b", "&lt;x&gt;", "&lt;n&gt;", "<polyline", "3: 7")
	for _, broken := range []string{"NaN", "Inf", "<b>", "<n>"} {
		if strings.Contains(b.String(), broken) {
			t.Errorf("%q is in the page", broken)
		}
	}
}

func holds(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}
