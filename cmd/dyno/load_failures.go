package main

import (
	"fmt"
	"strings"
	"time"

	"dyno/lab/load"
)

// failures prints one failed request of each kind, in short; the JSON
// object and the HTML report have a few of each, whole.
func (w *loadText) failures(r *load.Result) {
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
	return clean(line)
}

// inShort returns an answer's status line and the start of its body.
func inShort(answer string) string {
	head, body, _ := strings.Cut(answer, "\r\n\r\n")
	if body == "" {
		return firstLine(head)
	}
	return firstLine(head) + ", " + clean(body)
}

// clean makes one printable line of at most some 80 characters.
func clean(text string) string {
	const most = 80
	text = strings.Join(strings.Fields(strings.Map(printable, text)), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}

// printable keeps what comes from a server from steering the terminal.
func printable(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return ' '
	}
	return r
}

// failureJSON is a failed request in the JSON object.
type failureJSON struct {
	Kind     string  `json:"kind"`
	Request  string  `json:"request,omitempty"` // its name in the mix
	Why      string  `json:"why"`
	At       float64 `json:"at_s"` // since the measured time began; negative while warming up
	Sent     string  `json:"sent,omitempty"`
	Received string  `json:"received,omitempty"`
}

func failuresOf(r *load.Result) []failureJSON {
	list := []failureJSON{}
	for _, f := range r.Failures {
		list = append(list, failureJSON{f.Kind, f.Request, f.Why, f.At.Round(time.Microsecond).Seconds(), f.Sent, f.Received})
	}
	return list
}
