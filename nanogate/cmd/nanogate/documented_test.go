//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"dyno.example/nanogate/docs"
	"dyno.example/nanogate/internal/commandtest"
	"dyno.example/nanogate/internal/secure/securetest"
	"dyno.example/nanogate/internal/transcode/transcodetest"
	"dyno.example/nanogate/internal/wasm/wasmtest"
)

var fence = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// What the documentation shows as a configuration is one: check says that it is fine.
func TestDocumentedFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"jwks.json":     `{"keys":[{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","kid":"a","use":"sig","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`,
		"consul.token":  "00000000-0000-0000-0000-000000000000\n",
		"cookie-keys":   "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n",
		"client-secret": "secret\n",
		"tsig.key":      "key \"nanogate\" {\n\talgorithm hmac-sha256;\n\tsecret \"c2VjcmV0IG9mIHRoZSBnYXRld2F5IGZvciB0ZXN0cyE=\";\n};\n",
		"api-keys":      "acme: 0123456789abcdef0123456789abcdef\n",
		"htpasswd":      "ann:$2y$05$WqUtG.oHvzmJmZKzZ5wN2u2jKrTg8yT9cZ3YQ4QW6cN5p7u5Hs0b6\n",
	} {
		commandtest.Write(t, filepath.Join(dir, name), text)
	}
	ca := securetest.New(t)
	files := map[string]string{"clients-ca.pem": ca.Path, "internal-ca.pem": ca.Path}
	for _, name := range []string{"site", "wild", "gateway"} {
		f := ca.Issue(name, time.Hour, name+".example")
		files[name+".pem"], files[name+"-key.pem"] = f.Cert, f.Key
	}
	for name, from := range files {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		commandtest.Write(t, filepath.Join(dir, name), string(text))
	}
	commandtest.Write(t, filepath.Join(dir, "users.pb"), documentedService(t))
	commandtest.Write(t, filepath.Join(dir, "team.wasm"), string(wasmtest.Guest{}.Module()))
	for page, text := range map[string]string{"nanogate's pages": docs.All(), "coming-from.md": docs.Page("coming-from.md")} {
		found := 0
		for i, m := range fence.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(m[1], "listen: ") {
				continue // another program's
			}
			found++
			path := filepath.Join(dir, fmt.Sprint(page, i, ".yaml"))
			commandtest.Write(t, path, m[1])
			if out, errs, code := commandtest.Ended(t, "check", path); code != 0 {
				t.Errorf("%s, example %d: %d %s%s\n%s", page, i+1, code, out, errs, m[1])
			}
		}
		if found < 3 {
			t.Errorf("%s: %d configurations, expected at least 3", page, found)
		}
	}
}

// documentedService is the service that the documentation shows, as protoc describes it.
func documentedService(t *testing.T) string {
	t.Helper()
	service := regexp.MustCompile("(?ms)^```proto\n(.*?)^```$").FindStringSubmatch(docs.All())
	if service == nil {
		t.Fatal("the documentation shows no service")
	}
	b, err := proto.Marshal(transcodetest.Set(t, map[string]string{"users.proto": `syntax = "proto3"; package users.v1;
		import "google/api/annotations.proto"; import "google/protobuf/field_mask.proto";
		message User { string name = 1; } message GetUserRequest { string name = 1; google.protobuf.FieldMask read_mask = 2; }
		message UpdateUserRequest { User user = 1; } message WatchUsersRequest {}
		` + service[1]}))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
