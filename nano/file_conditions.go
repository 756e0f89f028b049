package nano

import (
	"net/http"
	"strings"
	"time"

	"dyno/nano/internal/exchange"
)

// condition is what the conditional fields of a request make of it.
type condition uint8

const (
	proceed condition = iota
	notModified
	failed
)

// version is what tells one content of a file from another.
type version struct {
	etag     string // quoted, weak if the handler has set such a one; "" for none
	modified time.Time
}

// check evaluates the conditional fields in the order of RFC 9110 13.2.2, for
// GET and HEAD.
func (v *version) check(x *liveRequest) condition {
	if match := joined(x, "If-Match"); match != "" {
		if !v.matches(match, strongly) {
			return failed
		}
	} else if since, ok := httpDate(x.field("If-Unmodified-Since")); ok && !v.modified.IsZero() && v.seconds().After(since) {
		return failed
	}
	if none := joined(x, "If-None-Match"); none != "" {
		if v.matches(none, weakly) {
			return notModified
		}
	} else if since, ok := httpDate(x.field("If-Modified-Since")); ok && !v.modified.IsZero() && !v.seconds().After(since) {
		return notModified
	}
	return proceed
}

// rangeHolds evaluates If-Range (RFC 9110 13.1.5): whether a part still belongs to
// what the client has.
func (v *version) rangeHolds(x *liveRequest) bool {
	value := x.field("If-Range")
	if value == nil {
		return true
	}
	if date, ok := httpDate(value); ok {
		return !v.modified.IsZero() && v.seconds().Equal(date)
	}
	return v.etag != "" && !strings.HasPrefix(v.etag, "W/") && string(value) == v.etag
}

// seconds is the time as Last-Modified can say it.
func (v *version) seconds() time.Time { return v.modified.Truncate(time.Second) }

// comparison is strong or weak (RFC 9110 8.8.3.2).
type comparison bool

const (
	strongly comparison = false
	weakly   comparison = true
)

// matches reports whether a list of entity tags, or "*", names the version.
func (v *version) matches(list string, how comparison) bool {
	own, ownWeak := strings.CutPrefix(v.etag, "W/")
	for list = strings.TrimLeft(list, " \t,"); list != ""; list = strings.TrimLeft(list, " \t,") {
		if list[0] == '*' {
			return true
		}
		tag, weak := strings.CutPrefix(list, "W/")
		if tag == "" || tag[0] != '"' {
			return false
		}
		end := strings.IndexByte(tag[1:], '"')
		if end < 0 {
			return false
		}
		if tag[:end+2] == own && (!weak && !ownWeak || how == weakly) {
			return true
		}
		list = tag[end+2:]
	}
	return false
}

// joined returns the values of all fields of the name as one list.
func joined(x *liveRequest, name string) string {
	all := ""
	for i := range x.Req.Fields {
		if f := &x.Req.Fields[i]; exchange.SameName(f.Name.Of(x.Buf), name) {
			all += "," + string(f.Value.Of(x.Buf))
		}
	}
	return strings.TrimLeft(all, ",")
}

// httpDate reads a date in any of the three forms of RFC 9110 5.6.7.
func httpDate(value []byte) (time.Time, bool) {
	if len(value) == 0 {
		return time.Time{}, false
	}
	t, err := http.ParseTime(string(value))
	return t, err == nil
}
