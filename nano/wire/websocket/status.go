package websocket

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// Statuses of close frames (RFC 6455 7.4.1, and the IANA registry of them).
const (
	NormalClosure    = 1000
	GoingAway        = 1001
	ProtocolError    = 1002
	UnsupportedData  = 1003
	NoStatus         = 1005 // never sent: the close frame had none
	AbnormalClosure  = 1006 // never sent: the connection ended without a close frame
	InvalidPayload   = 1007
	PolicyViolation  = 1008
	MessageTooBig    = 1009
	MissingExtension = 1010
	InternalError    = 1011
	ServiceRestart   = 1012
	TryAgainLater    = 1013
	BadGateway       = 1014
)

var statusNames = map[uint16]string{
	NormalClosure: "normal closure", GoingAway: "going away", ProtocolError: "protocol error", UnsupportedData: "unsupported data",
	NoStatus: "no status", AbnormalClosure: "abnormal closure", InvalidPayload: "invalid payload", PolicyViolation: "policy violation",
	MessageTooBig: "message too big", MissingExtension: "missing extension", InternalError: "internal error",
	ServiceRestart: "service restart", TryAgainLater: "try again later", BadGateway: "bad gateway",
}

// StatusName is a status with its name: "1011 internal error". Those from 3000 to 4999
// belong to libraries and applications, and have none.
func StatusName(code uint16) string {
	text := strconv.Itoa(int(code))
	if name := statusNames[code]; name != "" {
		text += " " + name
	}
	return text
}

// CanSend reports whether a close frame may carry the status (RFC 6455 7.4).
func CanSend(code uint16) bool {
	switch {
	case code < 1000, code == 1004, code == NoStatus, code == AbnormalClosure, code > BadGateway && code < 3000, code > 4999:
		return false
	}
	return true
}

// parseClose reads a close frame's payload (RFC 6455 5.5.1). Without one the status is
// [NoStatus].
func parseClose(payload []byte) (code uint16, reason []byte, wrong *Violation) {
	switch len(payload) {
	case 0:
		return NoStatus, nil, nil
	case 1:
		return 0, nil, violation(BadClose, "a close frame with half a status (RFC 6455 5.5.1)")
	}
	code = binary.BigEndian.Uint16(payload)
	if !CanSend(code) {
		return 0, nil, violation(BadClose, "the status "+strconv.Itoa(int(code))+" can't be sent (RFC 6455 7.4)")
	}
	if reason = payload[2:]; !utf8.Valid(reason) {
		return 0, nil, violation(BadUTF8, "the reason is not UTF-8 (RFC 6455 5.5.1)")
	}
	return code, reason, nil
}

// wholeRunes cuts a text to at most n bytes, between characters.
func wholeRunes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
