package tracing

import (
	"context"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"dyno.example/nanogate/internal/request/requesttest"
)

const valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// The cases of the W3C's test suite (trace-context/test) that are about this field.
func TestParseParent(t *testing.T) {
	for text, ok := range map[string]bool{
		valid:                       true,
		strings.ToUpper(valid):      false,
		"":                          false,
		valid + "-what":             false, // version 0 has no more
		valid + ".":                 false,
		"cc" + valid[2:]:            true,
		"cc" + valid[2:] + "-what":  true,
		"cc" + valid[2:] + ".what":  false,
		"cc" + valid[2:] + "-":      true,
		"ff" + valid[2:]:            false,
		".0" + valid[2:]:            false,
		"0." + valid[2:]:            false,
		valid[:len(valid)-1]:        false,
		valid[:len(valid)-2] + ".1": false,
		"00-" + strings.Repeat("0", 32) + valid[35:]: false,
		valid[:36] + strings.Repeat("0", 16) + "-01": false,
		"00_" + valid[3:]: false,
		"00-.af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01":  false,
		"00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01":   false,
		"00-0af7651916cd43dd8448eb211c80319c0-b7ad6b7169203331-01": false,
	} {
		p, got := parseParent([]byte(text))
		if got != ok {
			t.Errorf("%q: %v", text, got)
		}
		if ok && string(appendParent(nil, &p)) != valid {
			t.Errorf("%q becomes %q", text, appendParent(nil, &p))
		}
	}
}

// Two of the field are as none.
func TestTwoParents(t *testing.T) {
	for fields, ok := range map[string]bool{"": false, "traceparent: " + valid + "\r\n": true, "TraceParent: " + valid + "\r\nTRACEPARENT: " + valid + "\r\n": false} {
		if _, got := parentOf(requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: h\r\n"+fields+"\r\n")); got != ok {
			t.Errorf("%q: %v", fields, got)
		}
	}
}

// OpenTelemetry's propagator reads version 0 the same.
func FuzzParseParent(f *testing.F) {
	f.Add(valid)
	f.Add(valid[:54] + "3")
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.HasPrefix(text, "00-") || strings.TrimSpace(text) != text {
			t.Skip()
		}
		ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": text})
		want := trace.SpanContextFromContext(ctx)
		p, ok := parseParent([]byte(text))
		if want.IsValid() && (!ok || want.TraceID() != p.trace || want.SpanID() != p.span || want.IsSampled() != (p.flags&flagSampled != 0)) {
			t.Fatalf("%q: %v %v, want %v", text, p, ok, want)
		}
		// The propagator refuses flags that version 0 doesn't know; the recommendation
		// has them ignored (3.2.2.5.3).
		if ok && !want.IsValid() && p.flags <= 2 {
			t.Fatalf("%q: %v, which OpenTelemetry doesn't read", text, p)
		}
	})
}
