package http2

// Config is what the connections of one kind have in common. It is made by
// [NewConfig] and must not be changed while they live.
type Config struct {
	Server   bool
	Settings Settings // sent to the peer; zero value: DefaultSettings
	// Window is how many bytes the peer may send on all streams together: 1 MiB, at
	// least 65535.
	Window uint32
	// Table bounds the encoder's dynamic table, whatever the peer allows, in bytes.
	Table  uint32
	Limits Limits
}

// DefaultSettings suit a server and a client alike.
var DefaultSettings = Settings{
	HeaderTable:   defaultTable,
	MaxConcurrent: 100,
	InitialWindow: 256 << 10,
	MaxFrame:      MinMaxFrame,
	MaxHeaderList: 16 << 10,
}

// NewConfig gives c with the defaults filled in.
func NewConfig(c Config) *Config {
	if c.Settings == (Settings{}) {
		c.Settings = DefaultSettings
	}
	c.Settings.MaxFrame = min(max(c.Settings.MaxFrame, MinMaxFrame), MaxMaxFrame)
	c.Settings.InitialWindow = min(c.Settings.InitialWindow, maxWindow)
	c.Settings.Push = false
	if c.Window == 0 {
		c.Window = 1 << 20
	}
	c.Window = min(max(c.Window, defaultWindow), maxWindow)
	c.Limits = c.Limits.withDefaults(c.Settings.MaxHeaderList)
	return &c
}

// Conn is one end of an HTTP/2 connection, without the connection: bytes that came are
// given to [Conn.Next], which returns what they mean; what is to be sent is appended to
// Out. It is not to be used by two goroutines at a time.
//
// Time is an argument wherever it matters: nanoseconds on a clock that only goes
// forward.
type Conn struct {
	Output

	cfg  *Config
	pool *Pool
	now  int64 // of the call that is under way

	dec  Decoder
	peer Settings

	streams streams
	sending sendWindow
	costs   costs

	recvWindow int64 // bytes that the peer may send
	credit     int64 // bytes that are consumed and not in recvWindow again

	preface    preface
	greeted    bool  // the peer's first SETTINGS are in
	unacked    bool  // our SETTINGS are not acknowledged
	sentAt     int64 // when they were sent
	body       inBody
	block      inBlock
	draining   drain
	goneAway   bool   // the peer takes no more streams
	peerLast   uint32 // the last that it processes
	refuse     bool   // streams above that are to be given up
	unreported faults // of streams without an event
}

// Start begins a connection: Out gets what is to be sent first. pool may be shared
// with other connections of the same goroutine.
func (c *Conn) Start(cfg *Config, pool *Pool, now int64) {
	*c = Conn{Output: Output{Out: c.Out}, cfg: cfg, pool: pool, peer: initialSettings, unacked: true, sentAt: now}
	c.costs.limits = &cfg.Limits
	c.dec.Init(defaultTable)
	c.enc.Init(cfg.Table)
	c.sending.window, c.recvWindow = defaultWindow, int64(cfg.Window)
	if c.streams.server = cfg.Server; cfg.Server {
		c.preface, c.streams.next = preface(len(Preface)), 2
	} else {
		c.streams.next = 1
		c.Out = append(c.Out, Preface...)
	}
	c.Out = AppendSettings(c.Out, &cfg.Settings, cfg.Server)
	if cfg.Window > defaultWindow {
		c.Out = AppendWindowUpdate(c.Out, 0, cfg.Window-defaultWindow)
	}
}

// Peer is what the peer has said about itself; until it has, what RFC 9113 has it
// say.
func (c *Conn) Peer() *Settings { return &c.peer }

// Err is why the connection was ended from this side, or nil.
func (c *Conn) Err() error {
	if c.dead == nil {
		return nil
	}
	return c.dead
}

// Streams is how many streams the owner has to release.
func (c *Conn) Streams() int { return c.streams.held }

// InBlock reports whether the peer is in the middle of a field block that takes
// several frames: it may not take its time.
func (c *Conn) InBlock() bool { return c.block.stream != 0 }

// Flushed notes that the socket has taken all of Out.
func (c *Conn) Flushed() { c.costs.replies = 0 }

// recvInitial is the window of a new stream, for the peer to send: what it knows
// of it.
func (c *Conn) recvInitial() int32 {
	if c.unacked {
		return defaultWindow
	}
	return int32(c.cfg.Settings.InitialWindow)
}

// add makes a stream.
func (c *Conn) add(id uint32) *Stream {
	s := c.pool.take()
	s.ID, s.sendWindow, s.recvWindow, s.left = id, int32(c.peer.InitialWindow), c.recvInitial(), -1
	c.streams.add(s)
	c.streams.held++
	c.costs.noise.earn(8)
	return s
}
