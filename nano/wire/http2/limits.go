package http2

import "time"

// Limits bound what a peer can make this side do, hold or wait for. 0 means the
// default. Whoever exceeds one of the rates loses the connection, with
// ENHANCE_YOUR_CALM. A rate is a burst that is refilled at so many a second.
type Limits struct {
	HeaderFields int // fields of a section, pseudo-headers included: 100
	// HeaderBlock is the bytes of an encoded section, over all its frames: twice
	// SETTINGS_MAX_HEADER_LIST_SIZE. Its CONTINUATION frames are bounded with it.
	HeaderBlock int

	// Resets are streams that the peer ends early, or makes this side end by a
	// violation (rapid reset, CVE-2023-44487; MadeYouReset, CVE-2025-8671): 500,
	// 50 a second.
	Resets Rate
	// Settings are SETTINGS frames: 50, 5 a second.
	Settings Rate
	// Noise are frames that request nothing: PING, PRIORITY, WINDOW_UPDATE, empty DATA,
	// frames of closed streams or unknown types: 2000, 200 a second. Each stream, and
	// each DATA frame in either direction, gives some back, one that is sent more if it
	// is large.
	Noise Rate

	Replies        int           // acknowledgements and resets that the peer may leave unread: 1000
	SettingsWait   time.Duration // for the peer to acknowledge SETTINGS: 10 s
	StallWait      time.Duration // for a window to open for a stream that has something to send: 60 s
	WindowTooSmall int           // a server's DATA frames shorter than this because of a window count as noise, in bytes: 64
}

// Rate is a burst, and how many of it are refilled in a second.
type Rate struct{ Burst, PerSecond int32 }

// withDefaults gives the limits with the defaults filled in.
func (l Limits) withDefaults(maxHeaderList uint32) Limits {
	orInt(&l.HeaderFields, 100)
	orInt(&l.HeaderBlock, int(min(2*uint64(maxHeaderList), 1<<20)))
	orRate(&l.Resets, Rate{500, 50})
	orRate(&l.Settings, Rate{50, 5})
	orRate(&l.Noise, Rate{2000, 200})
	orInt(&l.Replies, 1000)
	orInt(&l.WindowTooSmall, 64)
	if l.SettingsWait == 0 {
		l.SettingsWait = 10 * time.Second
	}
	if l.StallWait == 0 {
		l.StallWait = time.Minute
	}
	return l
}

func orInt(n *int, or int) {
	if *n == 0 {
		*n = or
	}
}

func orRate(r *Rate, or Rate) {
	if *r == (Rate{}) {
		*r = or
	}
}

// Peers that cost more than they are worth.
var (
	errResets   = connError(EnhanceYourCalm, "RFC 9113 10.5", "too many streams reset")
	errSettings = connError(EnhanceYourCalm, "RFC 9113 10.5", "too many SETTINGS frames")
	errNoise    = connError(EnhanceYourCalm, "RFC 9113 10.5", "too many frames that ask for nothing")
	errReplies  = connError(EnhanceYourCalm, "RFC 9113 10.5", "replies are not read")
	errBlock    = connError(EnhanceYourCalm, "RFC 9113 10.5.1", "field block is longer than the limit")
	errNoAck    = connError(SettingsTimeout, "RFC 9113 6.5.3", "SETTINGS are not acknowledged")
	errStall    = streamError(EnhanceYourCalm, "RFC 9113 10.5", "window stays closed")
)

// meter enforces a Rate, as a leaky bucket.
type meter struct {
	level int32
	last  int64 // when it leaked, in ns
}

// add counts one, and reports whether that is within the rate.
func (m *meter) add(r Rate, now int64) bool {
	if m.level >= r.Burst {
		leak := (now - m.last) / 1e6 * int64(r.PerSecond) / 1e3
		if leak <= 0 {
			return false
		}
		m.level -= int32(min(leak, int64(m.level)))
		m.last = now
	} else if m.level == 0 {
		m.last = now
	}
	m.level++
	return true
}

// earn takes n back.
func (m *meter) earn(n int32) { m.level = max(0, m.level-n) }

// costs are what a peer has made this side do, held to the limits.
type costs struct {
	limits *Limits

	resets, settings, noise meter
	replies                 int // that the peer hasn't read
}

// reset counts a stream that ended early, and reports whether that is within the rate.
func (c *costs) reset(now int64) bool { return c.resets.add(c.limits.Resets, now) }

// setting does so for SETTINGS.
func (c *costs) setting(now int64) bool { return c.settings.add(c.limits.Settings, now) }

// frame counts a frame that requests nothing.
func (c *costs) frame(now int64) *Error {
	if !c.noise.add(c.limits.Noise, now) {
		return errNoise
	}
	return nil
}

// reply counts something that is sent because the peer sent something.
func (c *costs) reply() *Error {
	if c.replies++; c.replies > c.limits.Replies {
		return errReplies
	}
	return nil
}
