package nano_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
)

// What crypto/tls doesn't say as a client is written here by hand: a sealer makes
// records as RFC 5246 6.2.3.3 and RFC 8446 5.2 have them, with the secrets of a
// connection's key log.
type sealer struct {
	*client
	wire   *tapped
	seq    uint64
	aead   cipher.AEAD
	iv     []byte
	secret []byte // TLS 1.3
}

// tapped keeps what went over a connection.
type tapped struct {
	net.Conn
	sent, got []byte
}

func (c *tapped) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.got = append(c.got, p[:n]...)
	return n, err
}

func (c *tapped) Write(p []byte) (int, error) {
	c.sent = append(c.sent, p...)
	return c.Conn.Write(p)
}

const (
	recordAlert     = 21
	recordHandshake = 22
	recordData      = 23
)

// dialSealer connects with AES-128-GCM.
func dialSealer(t *testing.T, address string, version uint16) *sealer {
	t.Helper()
	s := &sealer{client: dial(t, address)}
	s.wire = &tapped{Conn: s.client.Conn}
	var log bytes.Buffer
	secure := tls.Client(s.wire, &tls.Config{
		InsecureSkipVerify: true, MinVersion: version, MaxVersion: version, KeyLogWriter: &log,
		CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
	})
	if err := secure.Handshake(); err != nil {
		t.Fatal(err)
	}
	s.client.Conn = secure
	s.r.Reset(secure)
	switch suite := secure.ConnectionState().CipherSuite; suite {
	case tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:
		s.seq = 1 // its Finished was the first
		client, server := s.wire.sent[11:43], s.wire.got[11:43]
		keys := prf12(secretOf(t, log.String(), "CLIENT_RANDOM"), "key expansion", append(append([]byte(nil), server...), client...), 40)
		s.aead, s.iv = gcm(t, keys[:16]), keys[32:36]
	case tls.TLS_AES_128_GCM_SHA256:
		s.use(secretOf(t, log.String(), "CLIENT_TRAFFIC_SECRET_0"))
	default:
		t.Skip("this machine prefers ", tls.CipherSuiteName(suite))
	}
	return s
}

// secretOf finds a secret in a key log.
func secretOf(t *testing.T, log, label string) []byte {
	t.Helper()
	for line := range strings.Lines(log) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == label {
			secret, err := hex.DecodeString(f[2])
			if err != nil {
				t.Fatal(err)
			}
			return secret
		}
	}
	t.Fatalf("no %s in the key log", label)
	return nil
}

func gcm(t *testing.T, key []byte) cipher.AEAD {
	t.Helper()
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return aead
}

// prf12 is the PRF of TLS 1.2 (RFC 5246 5).
func prf12(secret []byte, label string, seed []byte, n int) (out []byte) {
	sum := func(parts ...[]byte) []byte {
		h := hmac.New(sha256.New, secret)
		for _, p := range parts {
			h.Write(p)
		}
		return h.Sum(nil)
	}
	seed = append([]byte(label), seed...)
	for a := sum(seed); len(out) < n; a = sum(a) {
		out = append(out, sum(a, seed)...)
	}
	return out[:n]
}

// use takes a traffic secret of TLS 1.3 for what follows (RFC 8446 7.3).
func (s *sealer) use(secret []byte) {
	s.Helper()
	s.secret, s.seq = secret, 0
	s.aead, s.iv = gcm(s.T, s.expand("key", 16)), s.expand("iv", 12)
}

// expand is HKDF-Expand-Label without a context (RFC 8446 7.1).
func (s *sealer) expand(label string, n int) []byte {
	s.Helper()
	label = "tls13 " + label
	info := string([]byte{0, byte(n), byte(len(label))}) + label + "\x00"
	key, err := hkdf.Expand(sha256.New, s.secret, info, n)
	if err != nil {
		s.Fatal(err)
	}
	return key
}

// record returns a protected record.
func (s *sealer) record(kind byte, content []byte) []byte {
	nonce := make([]byte, 12)
	binary.BigEndian.PutUint64(nonce[4:], s.seq)
	head := []byte{kind, 3, 3}
	if s.secret == nil {
		copy(nonce, s.iv)
		sum := binary.BigEndian.AppendUint64(nil, s.seq)
		sum = binary.BigEndian.AppendUint16(append(sum, head...), uint16(len(content)))
		head = binary.BigEndian.AppendUint16(head, uint16(8+len(content)+16))
		s.seq++
		return s.aead.Seal(append(head, nonce[4:]...), nonce, content, sum)
	}
	for i := range nonce {
		nonce[i] ^= s.iv[i]
	}
	content = append(append([]byte(nil), content...), kind)
	head[0] = recordData
	head = binary.BigEndian.AppendUint16(head, uint16(len(content)+16))
	s.seq++
	return s.aead.Seal(head, nonce, content, head)
}

// raw sends bytes as they are, in pieces.
func (s *sealer) raw(b []byte, piece int) {
	s.Helper()
	for len(b) > 0 {
		n := min(piece, len(b))
		if _, err := s.wire.Conn.Write(b[:n]); err != nil {
			s.Fatal(err)
		}
		b = b[n:]
	}
}

// Keys are updated in the middle of it, in whatever pieces that comes.
func TestTLSKeyUpdate(t *testing.T) {
	t.Parallel()
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/", hello)
	app.Post("/", func(c nano.Ctx) error { b, err := c.Body(); return errors.Join(err, c.Text(200, string(b))) })
	at := serveTLS(t, app, nil)
	for _, piece := range []int{1 << 20, 10, 1} {
		s := dialSealer(t, at, tls.VersionTLS13)
		for range 3 {
			update := s.record(recordHandshake, []byte{24, 0, 0, 1, 1}) // asks for one in return
			s.use(s.expand("traffic upd", 32))
			s.raw(update, piece)
			s.raw(s.record(recordData, []byte(get)), piece)
			s.want(200, "hello")
		}
		large := largeText[:200<<10]
		wire := post("/", large) // more than is collected: the handler reads it
		for i := 0; i < len(wire); i += 16 << 10 {
			s.raw(s.record(recordData, []byte(wire[i:min(len(wire), i+16<<10)])), 5000)
			update := s.record(recordHandshake, []byte{24, 0, 0, 1, 1})
			s.use(s.expand("traffic upd", 32))
			s.raw(update, piece)
		}
		s.want(200, large)
	}
}

// A client that violates TLS, or wants what isn't done, hears an alert and is let go.
func TestTLSViolations(t *testing.T) {
	t.Parallel()
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/", hello)
	at := serveTLS(t, app, nil)
	for _, tt := range []struct {
		name    string
		version uint16
		wire    func(*sealer) []byte
		want    string // of the client's error
	}{
		{"renegotiation", tls.VersionTLS12, func(s *sealer) []byte {
			n := binary.BigEndian.Uint16(s.wire.sent[3:5])
			return s.record(recordHandshake, s.wire.sent[5:][:n]) // its ClientHello again
		}, "unexpected message"},
		{"hello request", tls.VersionTLS12, func(s *sealer) []byte {
			return s.record(recordHandshake, []byte{0, 0, 0, 0})
		}, "EOF"}, // after a warning: no_renegotiation
		{"not authentic", tls.VersionTLS13, func(s *sealer) []byte {
			b := s.record(recordData, []byte(get))
			b[len(b)-1] ^= 1
			return b
		}, "bad record MAC"},
		{"not encrypted", tls.VersionTLS13, func(s *sealer) []byte { return []byte(get) }, "protocol version"},
		{"nothing but updates", tls.VersionTLS13, func(s *sealer) (b []byte) {
			for range 20 {
				b = append(b, s.record(recordHandshake, []byte{24, 0, 0, 1, 0})...)
				s.use(s.expand("traffic upd", 32))
			}
			return b
		}, "unexpected message"},
		{"its own alert", tls.VersionTLS13, func(s *sealer) []byte {
			return s.record(recordAlert, []byte{2, 80})
		}, "EOF"},
		{"its end", tls.VersionTLS13, func(s *sealer) []byte {
			return s.record(recordAlert, []byte{1, 0}) // close_notify
		}, "EOF"},
	} {
		s := dialSealer(t, at, tt.version)
		s.raw(tt.wire(s), 1<<20)
		_, err := s.r.ReadByte()
		if err == nil || errors.Is(err, os.ErrDeadlineExceeded) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// The last record is an alert: close_notify. In TLS 1.2 that shows.
func TestTLSEndsWithCloseNotify(t *testing.T) {
	for name, wire := range map[string]string{"closed": last, "idle": "", "refused": "GET\r\n\r\n" + get} {
		var limits nano.Limits
		if wire == "" { // elsewhere a client of a busy machine has the time to ask
			limits.Idle = 150 * time.Millisecond
		}
		app := nano.New(nano.Config{Logger: quiet, Limits: limits})
		app.Get("/", hello)
		s := dialSealer(t, serveTLS(t, app, nil), tls.VersionTLS12)
		if wire != "" {
			s.send(wire)
			s.respond("GET")
		}
		s.end()
		kind := byte(0)
		for b := s.wire.got; len(b) >= 5; b = b[5+int(binary.BigEndian.Uint16(b[3:5])):] {
			kind = b[0]
		}
		if kind != recordAlert {
			t.Errorf("%s: the last record is of type %d", name, kind)
		}
	}
}
