//go:build linux

package gateway_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/config"
)

// A guarded route serves who may pass; one whose guard can't be made serves nobody,
// and the others go on; when it can be made, it works.
func TestGuards(t *testing.T) {
	upstream, requests := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
	dir := t.TempDir()
	keys, passwords, late := filepath.Join(dir, "keys"), filepath.Join(dir, "passwords"), filepath.Join(dir, "late")
	hash := "$2b$04$abcdefghijklmnopqrstuughE8Ev8uGFaUgY2cNEySvxngrb/Jzdm" // of "password"
	if err := os.WriteFile(passwords, []byte("ann:"+hash+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const key = "0123456789abcdef"
	if err := os.WriteFile(keys, []byte("ann: "+key), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "routes:\n" +
		"  - {match: {path: \"/keys/*\"}, keys: {file: " + keys + "}, to: http://" + upstream + "}\n" +
		"  - {match: {path: \"/basic/*\"}, basic: {file: " + passwords + "}, to: http://" + upstream + "}\n" +
		"  - {match: {path: \"/late/*\"}, jwt: {secret: " + late + "}, to: http://" + upstream + "}\n" +
		"  - {match: {path: \"/deny/*\"}, deny: 127.0.0.0/8, to: http://" + upstream + "}\n" +
		"  - {match: {path: \"/cors/*\"}, cors: {origins: \"https://a.example\"}, to: http://" + upstream + "}\n"
	g, address := start(t, text)
	status := func(path, fields string) int {
		resp, _ := ask(t, address, "GET "+path+" HTTP/1.1\r\nHost: a\r\n"+fields+"\r\n")
		return resp.StatusCode
	}
	for _, c := range []struct {
		path, fields string
		want         int
	}{
		{"/keys/a", "", 401},
		{"/keys/a", "X-Api-Key: " + key + "\r\n", 200},
		{"/basic/a", "", 401},
		{"/basic/a", "Authorization: Basic YW5uOnBhc3N3b3Jk\r\n", 200},
		{"/basic/a", "Authorization: Basic YW5uOnBhc3N3b3Jk\r\n", 200},
		{"/basic/a", "Authorization: Basic YW5uOlBhc3N3b3Jk\r\n", 401},
		{"/deny/a", "", 403},
		{"/x/../deny/a", "", 403},
		{"/late/a", "", 503},
	} {
		if got := status(c.path, c.fields); got != c.want {
			t.Errorf("%s with %q: %d, want %d", c.path, c.fields, got, c.want)
		}
	}
	if n := requests.Load(); n != 3 {
		t.Errorf("%d requests reached the upstream, want the three that may", n)
	}
	resp, _ := ask(t, address, "GET /cors/a HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\n\r\n")
	if got := resp.Header.Get("Access-Control-Allow-Origin"); got != "https://a.example" {
		t.Errorf("Access-Control-Allow-Origin: %q", got)
	}
	if problems := g.Snapshot().Problems; len(problems) != 1 || !strings.Contains(problems[0].String(), late+": no such file") {
		t.Errorf("%v", problems)
	}
	if err := os.WriteFile(late, []byte(strings.Repeat("secret", 6)), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	if problems := g.Apply(c); len(problems) > 0 {
		t.Fatal(problems)
	}
	if got := status("/late/a", ""); got != 401 {
		t.Errorf("the route that could be made later responds with %d", got)
	}
}
