package http2

import "strconv"

// ErrCode says why a stream or a connection was ended (RFC 9113 7).
type ErrCode uint32

const (
	NoError            ErrCode = 0x0
	ProtocolError      ErrCode = 0x1
	InternalError      ErrCode = 0x2
	FlowControlError   ErrCode = 0x3
	SettingsTimeout    ErrCode = 0x4
	StreamClosed       ErrCode = 0x5
	FrameSizeError     ErrCode = 0x6
	RefusedStream      ErrCode = 0x7 // nothing was done: the request may be sent again
	Cancel             ErrCode = 0x8
	CompressionError   ErrCode = 0x9
	ConnectError       ErrCode = 0xa
	EnhanceYourCalm    ErrCode = 0xb // the peer costs too much
	InadequateSecurity ErrCode = 0xc
	HTTP11Required     ErrCode = 0xd
)

var errCodes = [...]string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
	"STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
	"CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

// String is the name in RFC 9113 7, or the number of a code that is not there.
func (c ErrCode) String() string {
	if int(c) < len(errCodes) {
		return errCodes[c]
	}
	return "0x" + strconv.FormatUint(uint64(c), 16)
}

// Error is a violation of HTTP/2 or of a limit by the peer.
type Error struct {
	Code    ErrCode
	Stream  bool   // only its stream is ended; false: the connection (RFC 9113 5.4)
	Section string // RFC and section that is violated
	Message string
}

func (e *Error) Error() string {
	return "http2: " + e.Message + " (" + e.Code.String() + ", " + e.Section + ")"
}

// connError and streamError make the errors below, which are made once: a peer
// that provokes them must not cost an allocation each time.
func connError(code ErrCode, section, message string) *Error {
	return &Error{Code: code, Section: section, Message: message}
}

func streamError(code ErrCode, section, message string) *Error {
	return &Error{Code: code, Stream: true, Section: section, Message: message}
}
