package request

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestExamples(t *testing.T) {
	feeds := []Feed{{Name: "f", File: writeFeed(t, "f.csv", "id,pw\n7,x\n8,y\n")}}
	got, err := Examples([]Request{
		{Name: "a", Method: "POST", Path: "/{{feed.f.id}}?{{seq}}", Headers: []Header{{"X", "{{feed.f.id}}"}}, Body: "{{feed.f.pw}}",
			Auth: "basic {{feed.f.id}}:{{feed.f.pw}}", Cookies: []Header{{"c", "{{feed.f.id}}"}}, Expect: []string{"status 201"}},
		{Name: "after a login", Path: "/", Jar: true},
		{Name: "b", Path: "/", Headers: []Header{{"host", "h"}}, Status: 404},
	}, feeds)
	want := []Request{
		{Name: "a", Method: "POST", Path: "/7?0", Headers: []Header{{"X", "7"}, {"Authorization", "Basic Nzp4"}, {"Cookie", "c=7"}}, Body: "x", Expect: []string{"status 201"}},
		{Name: "b", Method: "GET", Path: "/", Headers: []Header{{"host", "h"}}, Status: 404},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
	}
}

// writeFeed writes the file of a feed.
func writeFeed(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
