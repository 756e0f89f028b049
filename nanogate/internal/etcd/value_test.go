//go:build linux

package etcd

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/state"
)

func TestParseValue(t *testing.T) {
	for value, want := range map[string]string{
		`{"Op":0,"Addr":"10.0.0.1:80","Metadata":null}`:                     "10.0.0.1:80×1",
		`{"Op":0,"Addr":"10.0.0.1:80","Metadata":"any text"}`:               "10.0.0.1:80×1",
		`{"Op":0,"Addr":"10.0.0.1:80","Metadata":{"weight":1e2,"more":[]}}`: "10.0.0.1:80×100",
		` {"Addr":"http://10.0.0.1:80","Metadata":{"zone":"a"}} `:           "10.0.0.1:80×1a",
		"http://10.0.0.1":              "10.0.0.1:80×1",
		"10.0.0.1:80\n":                "10.0.0.1:80×1",
		"[::1]:80":                     "[::1]:80×1",
		"":                             "expected an address, got nothing",
		`{"Op":1}`:                     "it is gone",
		`{"Op":2,"Addr":"10.0.0.1:1"}`: "expected Op 0 or 1, got 2",
		`{"Op":0}`:                     "it has no Addr",
		`{"Addr":7}`:                   "expected JSON such as",
		`{`:                            "expected JSON such as",
		`["10.0.0.1:80"]`:              "expected",
		"https://10.0.0.1":             "10.0.0.1:443×1",
		"ftp://10.0.0.1":               "expected http://host:port or h2c://host:port, got the scheme",
		"unix:/run/a":                  "a unix socket is of one machine only",
		"10.0.0.1":                     "expected host:port",
		"http://a:secret@10.0.0.1:80":  `expected http://host:port without a user and a password, got "***@10.0.0.1:80"`,
		`{"Addr":"a:se@cr/et@h:80"}`:   `expected http://host:port without a user and a password, got "***@h:80"`,
		`{"Addr":"10.0.0.1:80","Metadata":{"weight":0}}`:                                      "expected a weight from 1 to 1000, got 0",
		`{"Addr":"10.0.0.1:80","Metadata":{"weight":1.5}}`:                                    "expected a weight from 1 to 1000, got 1.5",
		`{"Addr":"10.0.0.1:80","Metadata":{"weight":"3"}}`:                                    "expected metadata such as",
		fmt.Sprintf(`{"Addr":"10.0.0.1:80","Metadata":{"zone":%q}}`, strings.Repeat("z", 65)): "expected a zone of at most 64 bytes",
		strings.Repeat(" ", mostValue) + strings.Repeat("x", mostValue+1):                     "expected at most 16384 bytes, got 16385",
	} {
		in, err := parseValue([]byte(value))
		got := fmt.Sprintf("%s×%d%s", in.Address, in.Weight, in.Zone)
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != want || err != nil && !strings.HasPrefix(got, want) {
			t.Errorf("%.60q: %s, want %s", value, got, want)
		}
	}
}

// Whatever stands under a key, it is an instance that can be written and read again, or
// an error.
func FuzzParseValue(f *testing.F) {
	f.Add([]byte(`{"Op":0,"Addr":"10.0.0.1:80","Metadata":{"weight":3,"zone":"a"}}`))
	f.Add([]byte("http://[::1]:80/"))
	f.Fuzz(func(t *testing.T, value []byte) {
		in, err := parseValue(value)
		if err != nil {
			return
		}
		if in.Weight < 1 || in.Weight > 1000 || in.Address.Unix != "" {
			t.Fatalf("%q: %+v", value, in)
		}
		written, err := appendValue(in)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := parseValue(written); err != nil || again.Address != in.Address || again.Weight != in.Weight || strings.ToValidUTF8(in.Zone, "\ufffd") != again.Zone {
			t.Fatalf("%q: %+v, written %s, read %+v, %v", value, in, written, again, err)
		}
	})
}

// A set that is changed bit by bit is the one that is read as a whole.
func TestSetChange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	model := map[string]string{}
	var s set
	for range 2000 {
		key := fmt.Sprintf("/s/%02d", random.IntN(40))
		e := &clientv3.Event{Kv: &mvccpb.KeyValue{Key: []byte(key)}}
		before, was := model[key]
		want := true
		if random.IntN(3) == 0 {
			e.Type = clientv3.EventTypeDelete
			want = was
			delete(model, key)
		} else {
			value := []string{"10.0.0.1:80", "10.0.0.2:80", "wrong"}[random.IntN(3)]
			e.Kv.Value = []byte(value)
			want = !was || before != value
			model[key] = value
		}
		if got := s.change([]*clientv3.Event{e}); got != want {
			t.Fatalf("%s %s: changed %v", e.Type, e.Kv, got)
		}
	}
	var all []*mvccpb.KeyValue
	for key, value := range model {
		all = append(all, &mvccpb.KeyValue{Key: []byte(key), Value: []byte(value)})
	}
	whole := set(nil).replaced(all)
	if !slices.EqualFunc(s, whole, func(a, b entry) bool { return a.key == b.key && a.value == b.value }) || text(s.instances()) != text(whole.instances()) {
		t.Errorf("bit by bit\n%v\nas a whole\n%v", s, whole)
	}
	if n := len(s.instances()); n == 0 || n == len(s) {
		t.Errorf("%d of %d are instances", n, len(s))
	}
}

func TestManyWrong(t *testing.T) {
	var s set
	for i := range mostWrong + 5 {
		s = append(s, entry{key: fmt.Sprint(i), err: errors.New("no")})
	}
	if all := s.wrong(); len(all) != mostWrong+1 || all[mostWrong] != "and 5 more" {
		t.Errorf("%q", all)
	}
}

func TestPause(t *testing.T) {
	for failures, want := range map[int][2]time.Duration{1: {50 * time.Millisecond, 100 * time.Millisecond}, 3: {200 * time.Millisecond, 400 * time.Millisecond}, 8: {5 * time.Second, 10 * time.Second}, 1000: {5 * time.Second, 10 * time.Second}} {
		if got := [2]time.Duration{usual.pause(failures, 0), usual.pause(failures, 1)}; got != want {
			t.Errorf("after %d failures: %v, want %v", failures, got, want)
		}
	}
}

// What is kept is for nobody else to read, and there as a whole.
func TestState(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "for it")
	c := config.NewEtcdCluster("http://b:1", "http://a:1")
	k := fileOf(state.Open(dir), &c, "/s/")
	if s, err := load(k); s != nil || err != nil {
		t.Errorf("before anything was kept: %v, %v", s, err)
	}
	var s set
	for _, value := range []string{"10.0.0.1:80", "wrong", `{"Addr":"10.0.0.2:80","Metadata":{"weight":3,"zone":"z","note":"private"}}`} {
		s = append(s, newEntry(&mvccpb.KeyValue{Key: []byte("/s/" + fmt.Sprint(len(s))), Value: []byte(value)}))
	}
	for range 2 { // once more over the first
		if err := k.Save(savedStateOf(s, "here", 7, 8)); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(k.Name())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if b, err := os.ReadFile(k.Name()); err != nil || strings.Contains(string(b), "private") {
		t.Errorf("%s, %v", b, err)
	}
	if all, err := os.ReadDir(dir); len(all) != 1 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	read, err := load(fileOf(state.Open(dir), &config.EtcdCluster{Endpoints: []string{"http://a:1", "http://b:1"}}, "/s/"))
	if err != nil || text(read.set().instances()) != "10.0.0.1:80×1 10.0.0.2:80×3z" || read.Cluster != 7 || read.Revision != 8 {
		t.Errorf("%+v, %v", read, err)
	}
	if other, err := load(fileOf(state.Open(dir), &c, "/other/")); other != nil || err != nil {
		t.Errorf("of another prefix: %v, %v", other, err)
	}
	for _, broken := range []string{"", "{", `{"version": 2}`} {
		writeFile(t, k.Name(), broken)
		if s, err := load(k); s != nil || err == nil {
			t.Errorf("%q: %v, %v", broken, s, err)
		}
	}
	writeFile(t, filepath.Join(dir, "file"), "")
	if err := fileOf(state.Open(filepath.Join(dir, "file")), &c, "/s/").Save(&savedState{}); err == nil {
		t.Error("a file is taken for a directory")
	}
}
