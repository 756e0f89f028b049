package cli

import (
	"slices"
	"strings"
	"testing"
)

// What others may see of a command line, whatever way flags are written in.
func TestSecretParts(t *testing.T) {
	for line, want := range map[string]string{
		"load --bearer abc http://h/":                   "load --bearer *** http://h/",
		"load --bearer=abc http://h/":                   "load --bearer=*** http://h/",
		"load --bearer @token http://h/":                "load --bearer @token http://h/",
		"load --bearer=env:TOKEN":                       "load --bearer=env:TOKEN",
		"load --auth ann:pw":                            "load --auth ann:**",
		"load -H Authorization:abc -H X-Note:x":         "load -H Authorization:*** -H X-Note:*",
		"load -HCookie:a=b":                             "load -HCookie:***",
		"load -kH Cookie:a=b":                           "load -kH Cookie:***",
		"load --header=X-Key:abc":                       "load --header=X-Key:***",
		"load --cookie sid=abc --cookies":               "load --cookie sid=*** --cookies",
		"load --otlp-header k:abc --otlp http://c":      "load --otlp-header k:*** --otlp http://c",
		"load --remote-write http://ann:pw@c/?token=ab": "load --remote-write http://ann:**@c/?token=**",
		"load http://h/?a=1&api_key=abc&b=2":            "load http://h/?a=1&api_key=***&b=2",
		"run s.yaml --set env.DB_PASSWORD=abc":          "run s.yaml --set env.DB_PASSWORD=***",
		"load -XPATCH http://h/":                        "load -XPATCH http://h/",
		"load -X HEAD -d 3s http://h/":                  "load -X HEAD -d 3s http://h/",
		"load --bearer":                                 "load --bearer",
		"load -H":                                       "load -H",
		"load --key server.key":                         "load --key server.key",
	} {
		args := strings.Fields("dyno " + line)
		shown := slices.Clone(args)
		for i, parts := range secretParts(args) {
			b := []byte(args[i])
			for _, p := range parts {
				for k := p.at; k < p.end; k++ {
					b[k] = '*'
				}
			}
			shown[i] = string(b)
		}
		if got := strings.Join(shown[1:], " "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", line, got, want)
		}
	}
}
