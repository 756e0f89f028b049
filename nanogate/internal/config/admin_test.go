package config

import (
	"strings"
	"testing"
)

// An admin address that others reach, and that asks them for nothing, is hinted at.
func TestAdminHints(t *testing.T) {
	for admin, hinted := range map[string]bool{
		"127.0.0.1:9901": false, "localhost:9901": false, `"[::1]:9901"`: false, "unix:/run/a": false,
		"{address: 0.0.0.0:9901, token: ./token}": false,
		`":9901"`: true, "0.0.0.0:9901": true, `"[::]:9901"`: true, "192.0.2.1:9901": true, "{address: 192.0.2.1:9901}": true,
	} {
		c, err := Parse("f.yaml", []byte("listen: 127.0.0.1:0\nadmin: "+admin+"\nroutes: [{to: http://127.0.0.1:1}]\n"))
		if err != nil {
			t.Errorf("%s: %v", admin, err)
			continue
		}
		hints := c.Hints()
		if (len(hints) > 0) != hinted || hinted && !strings.HasPrefix(hints[0].String(), "f.yaml:2:8: admin") {
			t.Errorf("%s: %v", admin, hints)
		}
	}
}
