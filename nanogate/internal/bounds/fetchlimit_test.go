package bounds

import (
	"testing"
	"time"
)

func TestFetchLimit(t *testing.T) {
	s := FetchLimit{Burst: 3, Every: 10 * time.Second}
	now := time.Unix(1_000_000, 0)
	for i, c := range []struct {
		after time.Duration
		may   bool
	}{
		{0, true}, {0, true}, {time.Second, true}, {0, false}, {8 * time.Second, false},
		{time.Second, true}, {0, false}, {10 * time.Second, true}, {0, false},
		{time.Hour, true}, {0, true}, {0, true}, {0, false},
		{-2 * time.Hour, true}, {0, true}, {0, true}, {0, false},
	} {
		if now = now.Add(c.after); s.May(now) != c.may {
			t.Errorf("question %d, at %v: %t, not %t", i, now.Unix(), !c.may, c.may)
		}
	}
}
