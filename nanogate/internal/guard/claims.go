package guard

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// bearer finds the token of a request, in a cookie or, without one, in Authorization (RFC
// 6750 2.1); nil if there is none. Two of them could be read in two ways by those behind
// the gateway.
func bearer(r *request.Request, cookie string) []byte {
	if cookie != "" {
		value, _ := r.Cookie(cookie)
		return value
	}
	const scheme = "bearer "
	value, fields := only(r, "authorization")
	if fields != 1 || len(value) <= len(scheme) || !http1.EqualFold(value[:len(scheme)], scheme) {
		return nil
	}
	return bytes.TrimLeft(value[len(scheme):], " ")
}

// only returns the value of the last field of a name, and how many there are.
func only(r *request.Request, lower string) (value []byte, fields int) {
	for _, field := range r.Head.Fields {
		if field.Name.Len() == len(lower) && http1.EqualFold(field.Name.Of(r.Buf), lower) {
			value = field.Value.Of(r.Buf)
			fields++
		}
	}
	return value, fields
}

// allows reports whether claims say all that they must.
func allows(must []config.Claim, claims map[string]any) bool {
	for _, one := range must {
		if !says(claims[one.Name], one.Value) {
			return false
		}
	}
	return true
}

// carried are the claims that go on to upstreams, as fields carry them; nil for those that
// there aren't. ok is false if a field would say something else than the claim does: whoever
// reads a field takes white space off its ends (RFC 9110 5.5), so that "admin " is "admin".
func carried(forward []config.Claim, claims map[string]any) (values [][]byte, ok bool) {
	values = make([][]byte, len(forward))
	for i, c := range forward {
		text, there := claimText(claims[c.Name])
		switch {
		case !there, text == "" && !c.Identity:
		case c.Identity && !request.Identifies(text), strings.TrimSpace(text) != text, !http1.ValidFieldValue(text):
			return values, false
		default:
			values[i] = []byte(text)
		}
	}
	return values, true
}

// replyUnclear is the response in that case.
var replyUnclear = request.Refuse(403, "the identity can't be forwarded: a name is empty, has white space around it, or characters that servers read differently", "").For(request.RefusedClaim)

// carry has the upstream get them. Fields for which there is nothing are taken out all the
// same: a client mustn't say them itself.
func carry(r *request.Request, forward []config.Claim, values [][]byte) {
	for i := range forward {
		r.Drop(forward[i].Value)
		if values[i] != nil {
			r.Forward(forward[i].Value, values[i])
		}
	}
}

// says reports whether a claim is the value, a list that holds it, or, as "scope" is
// (RFC 8693 4.2), words of which it is one.
func says(claim any, value string) bool {
	if list, ok := claim.([]any); ok {
		for _, one := range list {
			if text, ok := claimText(one); ok && text == value {
				return true
			}
		}
		return false
	}
	text, ok := claimText(claim)
	if !ok {
		return false
	}
	if text == value {
		return true
	}
	for word := range strings.FieldsSeq(text) {
		if word == value {
			return true
		}
	}
	return false
}

// claimText writes a claim as a field carries it; a list or an object as JSON.
func claimText(claim any) (text string, ok bool) {
	switch c := claim.(type) {
	case nil:
		return "", false
	case string:
		return c, true
	case bool:
		return strconv.FormatBool(c), true
	case float64:
		if c == math.Trunc(c) && math.Abs(c) < 1<<53 {
			return strconv.FormatInt(int64(c), 10), true
		}
		return strconv.FormatFloat(c, 'g', -1, 64), true
	}
	b, err := json.Marshal(claim)
	return string(b), err == nil
}
