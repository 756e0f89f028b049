package nano

import (
	"testing"
	"time"
)

// FuzzRange: whatever comes, parts lie in the file, are few, and don't add up to
// more than it.
func FuzzRange(f *testing.F) {
	for _, s := range []string{"bytes=0-", "bytes=-5", "bytes=0-0,5-9", "bytes=9-3", "bytes=99999999999999999999-", "bytes=-99999999999999999999", "bytes=,,", "BYTES = 1-2", "bytes=0-99999999999999999999", "x"} {
		f.Add(s, int64(20))
	}
	f.Add("bytes=0-", int64(0))
	f.Fuzz(func(t *testing.T, s string, size int64) {
		if size < 0 {
			return
		}
		ranges, outcome := parseRange(s, size)
		if (outcome == rangePartial) != (len(ranges) > 0) || len(ranges) > maxRanges {
			t.Fatalf("%d ranges, outcome %d", len(ranges), outcome)
		}
		sum := int64(0)
		for _, r := range ranges {
			if r.from < 0 || r.length <= 0 || r.from+r.length > size {
				t.Fatalf("%+v of %d", r, size)
			}
			sum += r.length
		}
		if sum > size {
			t.Fatalf("%d bytes of %d", sum, size)
		}
	})
}

// FuzzEntityTags: a list holds the tag only if its bytes are in it.
func FuzzEntityTags(f *testing.F) {
	for _, s := range []string{`"a"`, `W/"a", "b"`, `*`, `"`, `W/`, `"a""b"`, `,,"a"`, `a`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		v := version{etag: `"b"`, modified: time.Now()}
		if v.matches(list, strongly) && !v.matches(list, weakly) {
			t.Fatal("what matches strongly must match weakly")
		}
	})
}
