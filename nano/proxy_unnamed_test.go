package nano_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
)

// Where the header names no client, what stands in the fields is a client's own, which the
// proxy passes on: it is believed only from proxies that the header names. So it is over
// HTTP/1.1 and HTTP/2, on event loops and with net/http.
func TestProxyProtocolNamesNobody(t *testing.T) {
	config := nano.Config{ProxyProtocol: true, H2C: true, Logger: quiet, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	plain, _ := serve(t, config, func(app *nano.App) { app.Get("/who", who) })
	certFile, keyFile := writePair(t, t.TempDir(), 1)
	cert, err := nano.NewCertificate(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	another, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	app := nano.New(config)
	app.Get("/who", who)
	listening(t, app, func() error { return app.ServeTLS(ln, &tls.Config{GetCertificate: cert.Get}) })
	wrapped := veiled{another} // which net/http serves
	std := nano.New(config)
	std.Get("/who", who)
	listening(t, std, func() error { return std.ServeTLS(wrapped, &tls.Config{GetCertificate: cert.Get}) })
	sign := "\r\n\r\n\x00\r\nQUIT\n"
	const none = ""
	for header, client := range map[string]string{
		"PROXY UNKNOWN\r\n":                          none,
		"PROXY UNKNOWN 1.2.3.4 10.0.0.1 4660 80\r\n": none,
		sign + "\x20\x00\x00\x00":                    none, // LOCAL
		sign + "\x20\x11\x00\x0c\x01\x02\x03\x04\x0a\x00\x00\x01\x12\x34\x00\x50": none, // LOCAL with addresses
		sign + "\x21\x31\x00\xd8" + strings.Repeat("x", 216):                      none, // a unix socket
		sign + "\x21\x12\x00\x0c\x01\x02\x03\x04\x0a\x00\x00\x01\x12\x34\x00\x50": none, // UDP
		"PROXY TCP4 127.0.0.9 127.0.0.1 4660 80\r\n":                              "9.9.9.9:0 https",
		"PROXY TCP4 1.2.3.4 127.0.0.1 4660 80\r\n":                                "1.2.3.4:4660",
	} {
		for _, at := range []string{plain, ln.Addr().String(), another.Addr().String()} {
			scheme := "https"
			if at == plain {
				scheme = "http"
			}
			for _, version := range []int{1, 2} {
				transport := &http.Transport{Protocols: new(http.Protocols), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
				transport.Protocols.SetHTTP1(version == 1)
				transport.Protocols.SetHTTP2(version == 2 && scheme == "https")
				transport.Protocols.SetUnencryptedHTTP2(version == 2 && scheme == "http")
				own := ""
				transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
					c, err := net.Dial("tcp", at)
					if err == nil {
						own = c.LocalAddr().String()
						_, err = io.WriteString(c, header)
					}
					return c, err
				}
				req, err := http.NewRequest("GET", scheme+"://a/who", nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header = http.Header{"X-Forwarded-For": {"9.9.9.9"}, "X-Forwarded-Proto": {"https"}}
				resp, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Do(req)
				if err != nil {
					t.Errorf("%q: %v", header, err)
					continue
				}
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				transport.CloseIdleConnections()
				want := client
				if client == none {
					want = own + " " + scheme
				}
				if !strings.HasPrefix(string(body), want) || resp.ProtoMajor != version {
					t.Errorf("%q over %s, %s: %s, want %s", header, scheme, resp.Proto, body, want)
				}
			}
		}
	}
}

// veiled is a listener whose connections are no sockets to look at.
type veiled struct{ net.Listener }

func (w veiled) Accept() (net.Conn, error) {
	c, err := w.Listener.Accept()
	return struct{ net.Conn }{c}, err
}
