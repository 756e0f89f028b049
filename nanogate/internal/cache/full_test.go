package cache

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// However many write at once, the store takes no more bytes than it may, and what is found
// is whole.
func TestFullOfManyWriters(t *testing.T) {
	const (
		size, object = 1 << 20, 64 << 10
		writers      = 8
		each         = 150
	)
	s := New(size, object)
	var all sync.WaitGroup
	for w := range writers {
		random := rand.New(rand.NewPCG(1, uint64(w)))
		all.Go(func() {
			for i := range each {
				question := fmt.Sprintf("GET /%d HTTP/1.1\nHost: h", random.IntN(400))
				body := strings.Repeat(string(rune('a'+w)), 1+random.IntN(object/4))
				stored(t, s, &Policy{}, question, "HTTP/1.1 200 OK\nCache-Control: max-age=60\nCache-Tag: t", body)
				if v := found(t, s, question); v != nil && strings.Trim(string(v.Body), string(v.Body[:1])) != "" {
					t.Errorf("%s is of two writers", question)
				}
				if i == each/2 && w == 0 {
					s.PurgeTag("t")
				}
				if i == each/3 && w == 1 {
					s.Resize(size/2, object)
				}
			}
		})
	}
	all.Wait()
	s.urls.CleanUp()
	f := s.Read()
	if f.Bytes > size/2 || f.Evicted == 0 || f.URLs == 0 || s.filling.Load() != 0 {
		t.Errorf("%+v, %d on their way", f, s.filling.Load())
	}
	sum := 0
	for _, r := range s.urls.All() {
		sum += r.weight()
	}
	if sum > size/2 || uint64(sum) != f.Bytes {
		t.Errorf("%d bytes are stored, and %d are counted", sum, f.Bytes)
	}
}

// What is asked for again and again stays when much else comes that nobody asks for a second
// time.
func TestEvicted(t *testing.T) {
	const kept = 10
	s := New(1<<20, 64<<10)
	body := strings.Repeat("x", 10_000)
	question := func(i int) string { return fmt.Sprintf("GET /%d HTTP/1.1\nHost: h", i) }
	for i := range 1000 {
		stored(t, s, &Policy{}, question(i), "HTTP/1.1 200 OK\nCache-Control: max-age=60", body)
		for k := range min(i, kept) {
			found(t, s, question(k)) // each counts, as turn is 0
		}
		s.urls.CleanUp() // finds are noted where they may be lost while nobody has time to count them
	}
	s.urls.CleanUp()
	for k := range kept {
		if _, ok := s.urls.GetEntryQuietly(s.KeyOf([]byte(fmt.Sprintf("http://h/%d", k)))); !ok {
			t.Errorf("/%d is gone", k)
		}
	}
	if f := s.Read(); f.Evicted < 800 {
		t.Errorf("%+v", f)
	}
}

// A response that is larger than one may be isn't stored, whatever room there is, and what
// was stored for its URL before stays. A store without room for anything stores nothing.
func TestLargerThanMayBe(t *testing.T) {
	s := New(1<<20, 8<<10)
	const fresh = "HTTP/1.1 200 OK\nCache-Control: max-age=60"
	if stored(t, s, &Policy{}, get, fresh, strings.Repeat("x", 4<<10)) == nil {
		t.Fatal("it isn't stored")
	}
	if stored(t, s, &Policy{}, get, fresh, strings.Repeat("y", 8<<10)) != nil {
		t.Error("it is stored")
	}
	if v := found(t, s, get); v == nil || v.Body[0] != 'x' {
		t.Error("what was there is gone")
	}
	if f := s.Read(); f.Refused != 1 || f.URLs != 1 {
		t.Errorf("%+v", f)
	}
	s.Resize(0, 8<<10)
	s.urls.CleanUp()
	if f := s.Read(); f.Bytes != 0 || f.URLs != 0 {
		t.Errorf("%+v", f)
	}
}
