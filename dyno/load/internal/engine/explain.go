package engine

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/http2"
)

// ExplainConnect adds what can be done about it.
func ExplainConnect(err error) i18n.Message {
	var call *os.SyscallError // names the call: binding to an address that is not ours fails so too
	var record tls.RecordHeaderError
	switch {
	case err == syscall.EADDRNOTAVAIL, errors.As(err, &call) && call.Syscall == "connect" && call.Err == syscall.EADDRNOTAVAIL:
		return i18n.New("engine.no-local-port", "no local port is free: give more addresses to connect from, or reuse connections")
	case errors.As(err, &record):
		return i18n.New("engine.doesnt-speak-tls", "%v: it doesn't speak TLS%s", err, beginning(record.RecordHeader[:]))
	case strings.Contains(err.Error(), "no application protocol"): // alert 120, which crypto/tls has no type for
		return i18n.Join(err, i18n.New("engine.alpn-mismatch", ": the server doesn't speak what was offered by ALPN (RFC 7301 3.2)"))
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return i18n.Join(err, i18n.New("engine.raise-file-limit", ": raise the limit on open files (ulimit -n)"))
	}
	return i18n.From(err)
}

// beginning shows the first bytes of a response that is not HTTP/1.1, and says
// what else it may be; "" for one that begins as it should.
func beginning(response []byte) i18n.Message {
	const most = 40
	if len(response) == 0 || bytes.HasPrefix(response, []byte("HTTP/1.")) {
		return i18n.Message{}
	}
	return i18n.New("engine.begins", ", it begins with %q%s", response[:min(len(response), most)], language(response))
}

// whereBroken adds to what is wrong with a response where it is: of one that does not
// even begin as HTTP/1.1, how it begins, as far as it is kept; of one whose head was in,
// what came then.
func whereBroken(started bool, kept, rest []byte) i18n.Message {
	const most = 40
	switch {
	case !started:
		return beginning(kept)
	case len(rest) == 0:
		return i18n.Message{}
	}
	return i18n.New("engine.body", ", at %q in its body", rest[:min(len(rest), most)])
}

// language guesses what somebody speaks who begins so.
func language(b []byte) i18n.Message {
	switch {
	case bytes.HasPrefix(b, []byte("SSH-")):
		return i18n.Verbatim(": SSH (RFC 4253 4.2)")
	case len(b) >= 9 && b[0] == 0 && (b[3] == 4 || b[3] == 7) && bytes.Equal(b[5:9], make([]byte, 4)): // SETTINGS or GOAWAY of stream 0
		return i18n.New("engine.looks-like-http2", ": HTTP/2 (RFC 9113 4.1); load it as such, with --http2")
	case len(b) >= 3 && (b[0] == 0x15 || b[0] == 0x16) && b[1] == 3:
		return i18n.New("engine.looks-like-tls", ": TLS (RFC 8446 5.1); is it an https:// URL?")
	case bytes.HasPrefix(b, []byte("HTTP/")):
		return i18n.New("engine.looks-like-http1", ": plain HTTP; is it an http:// URL?")
	case bytes.HasPrefix(b, []byte("220 ")) || bytes.HasPrefix(b, []byte("220-")):
		return i18n.New("engine.mail-ftp-server", ": a mail or FTP server")
	case b[0] == '-' || bytes.HasPrefix(b, []byte("+")):
		return i18n.New("engine.perhaps-redis", ": perhaps Redis")
	}
	return i18n.Message{}
}

// tookTooLong says how far a response had come when its time was over: started is
// whether its head was in.
func tookTooLong(limit time.Duration, started bool, bodyBytes int64) i18n.Message {
	text := i18n.New("engine.response-incomplete-in-time", "no complete response within %v", limit)
	if started {
		text = i18n.Join(text, i18n.New("engine.body-bytes-received", ": %d bytes of its body had come by then", bodyBytes))
	}
	return text
}

// spoken is the error of a handshake that agreed on a protocol which this load does
// not speak (ALPN, RFC 7301), or nil. HTTP/2 must be agreed on (RFC 9113 3.2).
func spoken(state *tls.ConnectionState, want string) error {
	switch p := state.NegotiatedProtocol; {
	case p == want, p == "" && want == request.HTTP1:
		return nil
	case want == request.HTTP1:
		return i18n.Errorf("engine.alpn-not-http1", "the server chose %q of the protocols offered by ALPN, but only http/1.1 is spoken here: don't offer it", p)
	case p == "":
		return i18n.Errorf("engine.http2-not-negotiated", "the server agreed on no protocol by ALPN: it doesn't speak HTTP/2 over TLS; load it without --http2")
	default:
		return i18n.Errorf("engine.alpn-not-http2", "the server chose %q of the protocols offered by ALPN: it doesn't speak HTTP/2 over TLS; load it without --http2", p)
	}
}

// serverClosed is what has happened when there is nothing more to read.
var serverClosed = i18n.New("engine.server-closed-connection", "the server closed the connection")

// brokeText says what the end of an established connection means to the requests on
// it, and of which kind it is; why is what has happened.
func brokeText(why i18n.Message, goaway string, greeted bool) (measure.ErrorKind, i18n.Message) {
	switch {
	case goaway != "":
		return measure.GoAwayError, i18n.New("engine.goaway-unanswered", "%s after a GOAWAY (%s), without a response to the request", why, goaway)
	case !greeted:
		return measure.ResetError, i18n.Join(why, i18n.New("engine.before-settings", " before its SETTINGS: does it speak HTTP/2?"))
	}
	return measure.ResetError, i18n.Join(why, i18n.New("engine.before-response-complete", " before the response was complete"))
}

// goAwayText is what a server's GOAWAY says.
func goAwayText(ev *http2.Event) string {
	text := ev.Code.String()
	if len(ev.Data) > 0 {
		text += fmt.Sprintf(", %q", ev.Data[:min(len(ev.Data), 200)])
	}
	return text
}

// resetText says what a stream's early end means: by the server or, where it broke the
// rules, from this side. The request was sent again so often.
func resetText(ev *http2.Event, again int) (measure.ErrorKind, i18n.Message) {
	switch {
	case ev.Err != nil:
		return measure.BodyError, i18n.From(ev.Err)
	case ev.Code == http2.RefusedStream:
		return measure.RefusedError, refusedTimes(again + 1)
	case ev.Code == http2.HTTP11Required:
		return measure.StreamError, i18n.New("engine.http11-required", "the server reset the stream: HTTP_1_1_REQUIRED: it wants this request over HTTP/1.1")
	}
	return measure.StreamError, i18n.New("engine.stream-reset", "the server reset the stream: %s", ev.Code.String())
}

// refusedTimes says that a request's stream was refused so often.
func refusedTimes(n int) i18n.Message {
	return i18n.New("engine.stream-refused-repeatedly", "the server refused the request's stream %d times (REFUSED_STREAM, RFC 9113 8.7)", n)
}

// alivePing is the PING that checks whether a silent server is there.
var alivePing = [8]byte{'a', 'l', 'i', 'v', 'e', '?'}

// whySilent is why a connection is given up that was asked so in vain.
var whySilent = i18n.New("engine.server-silent", "nothing comes from the server any more, not even the response to a PING")

// errNotGreeted is why a server that closes a connection before its SETTINGS can't be
// loaded.
var errNotGreeted = i18n.Errorf("engine.http2-closed-at-start", "the server closed the connection without a word of HTTP/2: does it speak HTTP/2 on this port? if it doesn't, load it without --http2")

// notHTTP2 explains what came where a server that speaks HTTP/2 sends its SETTINGS
// (RFC 9113 3.4); violation is what the codec says.
func notHTTP2(first []byte, violation error) error {
	const most = 40
	shown := fmt.Sprintf("%q", first[:min(len(first), most)])
	if bytes.HasPrefix(first, []byte("HTTP/1.")) {
		return i18n.Errorf("engine.preface-http1", "the server doesn't speak HTTP/2 here: it begins with %s, which is HTTP/1.1; load it without --http2", shown)
	}
	if what := language(first); !what.IsZero() && !strings.Contains(what.String(), "HTTP/2") {
		return i18n.Errorf("engine.preface-unknown", "the server doesn't speak HTTP/2 here: it begins with %s%s", shown, what)
	}
	return i18n.Errorf("engine.http2-violation-at-start", "the server doesn't speak HTTP/2 as it must: it begins with %s: %w", shown, violation)
}
