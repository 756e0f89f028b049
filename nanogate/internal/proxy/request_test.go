//go:build linux

package proxy

import (
	"strings"
	"testing"
)

// A client is told in the words of the field why its upstream can't serve it, and when to
// come back.
func TestNoHealthyUpstream(t *testing.T) {
	body, fields := string(replyNobody.Body), string(replyNobody.Fields)
	if replyNobody.Status != 503 || !strings.Contains(body, `"detail":"no healthy upstream"`) || !strings.Contains(fields, "Retry-After: 1\r\n") {
		t.Errorf("%d %q %s", replyNobody.Status, fields, body)
	}
}
