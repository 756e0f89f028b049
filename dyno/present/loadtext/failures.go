package loadtext

import (
	"fmt"
	"strings"

	"dyno.example/dyno/load"
	"dyno.example/dyno/present"
)

// failures prints one failed request of each kind, in short; the JSON
// object and the HTML report have a few of each, whole.
func (w *Text) failures(r *load.Result) {
	shown := make(map[string]bool)
	for _, f := range r.Failures {
		if shown[f.Kind] || f.Sent == "" {
			continue
		}
		if len(shown) == 0 {
			fmt.Fprintln(w)
		}
		shown[f.Kind] = true
		w.labelled(w.Text("load.such"), w.Text("load.kind."+f.Kind)+w.Text("list.colon")+firstLine(f.Sent))
		if f.Received != "" {
			w.labelled("", inShort(f.Received))
		}
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\r\n")
	return present.Clean(line)
}

// inShort returns a response's status line and the start of its body.
func inShort(response string) string {
	head, body, _ := strings.Cut(response, "\r\n\r\n")
	if body == "" {
		return firstLine(head)
	}
	return firstLine(head) + ", " + present.Clean(body)
}
