package request

import "strconv"

var (
	replyMaxForwards = Refuse(400, "Max-Forwards is not a number", "").For(RefusedHead)
	replyTrace       = Refuse(405, "TRACE ends here", "Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r\n").For(RefusedMethod)
	replyOptionsHere = &Reply{Status: 204, Fields: []byte("Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r\n")}
)

// CountDown counts a TRACE or OPTIONS request down that says how often it may be sent on
// (RFC 9110 7.6.2). It returns the last recipient's response, if that is the gateway.
func CountDown(r *Request) *Reply {
	method := string(r.Method())
	if method != "TRACE" && method != "OPTIONS" {
		return nil
	}
	value, ok := r.Header("max-forwards")
	if !ok {
		return nil
	}
	n, err := strconv.ParseUint(string(value), 10, 16)
	switch {
	case err != nil:
		return replyMaxForwards
	case n > 0:
		r.Forward("max-forwards", strconv.AppendUint(nil, n-1, 10))
		return nil
	case method == "TRACE":
		return replyTrace
	}
	return replyOptionsHere
}
