package nano_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
)

// listening runs serve of an app until the test ends.
func listening(t *testing.T, app *nano.App, serve func() error) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- serve() }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := app.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// who responds with what the app knows of the client.
func who(c nano.Ctx) error {
	return c.Text(200, fmt.Sprint(c.RemoteAddr(), " ", c.Scheme(), " ", c.Host()))
}

// writePair makes a certificate for localhost with the serial number.
func writePair(t *testing.T, dir string, serial int64) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}

func TestTLSAndHTTP2(t *testing.T) {
	certFile, keyFile := writePair(t, t.TempDir(), 1)
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/who", who)
	app.Post("/echo", func(c nano.Ctx) error {
		b, err := c.Body()
		if err != nil {
			return err
		}
		return c.Bytes(200, "text/plain", b)
	})
	app.Get("/mounted", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		fmt.Fprint(w, r.Proto, r.TLS != nil)
		w.(http.Flusher).Flush()
		w.Header().Set("X-Sum", "1")
	})))
	listening(t, app, func() error { return app.ServeTLS(ln, &tls.Config{Certificates: []tls.Certificate{pair}}) })
	for _, two := range []bool{false, true} {
		var protocols http.Protocols
		protocols.SetHTTP1(!two)
		protocols.SetHTTP2(two)
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, Protocols: &protocols}}
		url := "https://" + ln.Addr().String()
		resp, err := client.Get(url + "/who")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.HasSuffix(string(body), " https "+ln.Addr().String()) || (resp.ProtoMajor == 2) != two || resp.TLS.Version != tls.VersionTLS13 {
			t.Errorf("%s %s", resp.Proto, body)
		}
		large := bytes.Repeat([]byte("0123456789abcdef"), 1<<14)
		resp, err = client.Post(url+"/echo", "text/plain", bytes.NewReader(large))
		if err != nil {
			t.Fatal(err)
		}
		if body, _ = io.ReadAll(resp.Body); !bytes.Equal(body, large) {
			t.Errorf("%s: %d bytes came back", resp.Proto, len(body))
		}
		resp.Body.Close()
		resp, err = client.Get(url + "/mounted")
		if err != nil {
			t.Fatal(err)
		}
		body, _ = io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != resp.Proto+"true" || resp.Trailer.Get("X-Sum") != "1" {
			t.Errorf("%q %v", body, resp.Trailer)
		}
		client.CloseIdleConnections()
	}
}

func TestTLSHandshakeHasItsTime(t *testing.T) {
	certFile, keyFile := writePair(t, t.TempDir(), 1)
	cert, err := nano.NewCertificate(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := &logLines{}
	app := nano.New(nano.Config{Logger: slog.New(slog.NewTextHandler(log, nil)), Limits: nano.Limits{Handshake: 20 * time.Millisecond}})
	listening(t, app, func() error { return app.ServeTLS(ln, &tls.Config{GetCertificate: cert.Get}) })
	c := dial(t, ln.Addr().String())
	c.end()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(log.String(), "TLS handshake") {
			return
		}
	}
	t.Error("the log says nothing of it:", log.String())
}

func TestCertificateIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := writePair(t, dir, 1)
	c, err := nano.NewCertificate(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	serial := func() int64 {
		pair, err := c.Get(nil)
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf.SerialNumber.Int64()
	}
	writePair(t, dir, 2)
	os.Chtimes(certFile, time.Now(), time.Now().Add(time.Minute)) // in case the clock of files is coarse
	for end := time.Now().Add(30 * time.Second); serial() != 2 && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
	if serial() != 2 {
		t.Error("the new certificate isn't used")
	}
	os.Remove(keyFile)
	time.Sleep(1100 * time.Millisecond)
	if serial() != 2 {
		t.Error("the certificate must stay when its files are wrong")
	}
	if _, err := nano.NewCertificate(certFile, keyFile); err == nil || !strings.Contains(err.Error(), keyFile) {
		t.Error(err)
	}
}

func TestH2C(t *testing.T) {
	at, _ := serve(t, nano.Config{H2C: true}, func(app *nano.App) { app.Get("/who", who) })
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: &protocols}}
	defer client.CloseIdleConnections()
	for range 3 {
		resp, err := client.Get("http://" + at + "/who")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.ProtoMajor != 2 || !strings.HasSuffix(string(body), " http "+at) || !strings.HasPrefix(string(body), "127.0.0.1:") {
			t.Errorf("%s %s", resp.Proto, body)
		}
	}
	c := dial(t, at) // HTTP/1.1 on the same port, and a method that begins as the preface does
	c.send("P")
	time.Sleep(5 * time.Millisecond)
	c.send("OST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
	if resp, _ := c.respond("POST"); resp.StatusCode != 405 {
		t.Error(resp)
	}
	c.send(get)
	c.want(200, "hello")
	plain, _ := serve(t, nano.Config{}, nil)
	c = dial(t, plain)
	c.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	if resp, _ := c.respond("GET"); resp.StatusCode < 400 {
		t.Error("HTTP/2 without H2C:", resp)
	}
}

func TestProxyProtocol(t *testing.T) {
	log := &logLines{}
	config := nano.Config{ProxyProtocol: true, H2C: true, Logger: slog.New(slog.NewTextHandler(log, nil)),
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Limits: nano.Limits{PerAddress: 8}}
	plain, _ := serve(t, config, func(app *nano.App) { app.Get("/who", who) })
	const v2 = "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\x01\x02\x03\x04\x0a\x00\x00\x01\x12\x34\x00\x50"
	const request = "GET /who HTTP/1.1\r\nHost: a\r\n\r\n"
	for _, tt := range []struct{ name, header, client string }{
		{"v1", "PROXY TCP4 1.2.3.4 10.0.0.1 4660 80\r\n", "1.2.3.4:4660"},
		{"v2", v2, "1.2.3.4:4660"},
		{"v1 unknown", "PROXY UNKNOWN\r\n", ""},
		{"local", "\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00", ""},
	} {
		for _, piece := range []int{1 << 20, 1} {
			c := dial(t, plain)
			for rest := tt.header + request; rest != ""; {
				n := min(piece, len(rest))
				c.send(rest[:n])
				rest = rest[n:]
			}
			want := tt.client
			if want == "" {
				want = c.LocalAddr().String()
			}
			c.want(200, want+" http a")
			c.send(request)
			c.want(200, want+" http a")
			c.Close()
		}
	}
	c := dial(t, plain)
	c.send(request)
	c.end()
	if !strings.Contains(log.String(), "PROXY protocol header: missing") {
		t.Error(log.String())
	}
	config.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	other, _ := serve(t, config, nil)
	c = dial(t, other)
	c.send(get)
	c.want(200, "hello")
	c.send("PROXY TCP4 1.2.3.4 10.0.0.1 4660 80\r\n\r\n")
	if resp, _ := c.respond("GET"); resp.StatusCode != 400 && resp.StatusCode != 505 {
		t.Error("who isn't trusted must not name the client:", resp.Status)
	}
}

// TestProxyProtocolThatNamesNobody: a balancer passes fields on as clients send them. Where its
// header names nobody its own address is no reason to believe them.
func TestProxyProtocolThatNamesNobody(t *testing.T) {
	config := nano.Config{ProxyProtocol: true, H2C: true, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	plain, _ := serve(t, config, func(app *nano.App) { app.Get("/who", who) })
	const sign = "\r\n\r\n\x00\r\nQUIT\n"
	const request = "GET /who HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 9.9.9.9\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: evil\r\n\r\n"
	for _, header := range map[string]string{
		"v1 unknown":  "PROXY UNKNOWN\r\n",
		"with more":   "PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n",
		"local":       sign + "\x20\x00\x00\x00",
		"unspecified": sign + "\x21\x00\x00\x00",
		"UDP":         sign + "\x21\x12\x00\x0c\x01\x02\x03\x04\x0a\x00\x00\x01\x12\x34\x00\x50",
	} {
		c := dial(t, plain)
		for range 2 {
			c.send(header + request)
			c.want(200, c.LocalAddr().String()+" http a")
			header = ""
		}
		c.Close()
	}
	c := dial(t, plain) // another proxy, that is trusted and is named
	c.send("PROXY TCP4 127.0.0.9 10.0.0.1 4660 80\r\n" + request)
	c.want(200, "9.9.9.9:0 https evil")
}

func TestProxyProtocolBeforeTLS(t *testing.T) {
	certFile, keyFile := writePair(t, t.TempDir(), 1)
	cert, err := nano.NewCertificate(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	app := nano.New(nano.Config{Logger: quiet, ProxyProtocol: true, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	app.Get("/who", who)
	listening(t, app, func() error { return app.ServeTLS(ln, &tls.Config{GetCertificate: cert.Get}) })
	c := dial(t, ln.Addr().String())
	c.send("PROXY TCP4 1.2.3.4 10.0.0.1 4660 80\r\n")
	secure := tls.Client(c.Conn, &tls.Config{InsecureSkipVerify: true})
	fmt.Fprint(secure, "GET /who HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if b, err := io.ReadAll(secure); !strings.HasSuffix(string(b), "1.2.3.4:4660 https a") {
		t.Errorf("%s %v", b, err)
	}
}

func TestUnixSocketFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.sock")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: path})
	if err != nil {
		t.Fatal(err)
	}
	app := nano.New(nano.Config{Logger: quiet, UnixMode: 0o600})
	app.Get("/", func(c nano.Ctx) error { return c.Text(200, "hello") })
	if err := app.Listen("unix:" + path); err == nil {
		t.Fatal("a socket that somebody listens on was taken")
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	t.Cleanup(func() {
		if _, err := os.Stat(path); err == nil {
			t.Error("the socket was left behind")
		}
	})
	listening(t, app, func() error { return app.Listen("unix:" + path) })
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			break
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	c := dial(t, path)
	c.send(get)
	c.want(200, "hello")
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, []byte("kept"), 0o600)
	if err := app.Listen("unix:" + file); err == nil {
		t.Error("a file was taken for a socket")
	}
}

// A listener of crypto/tls speaks what its configuration offers.
func TestServeOnATLSListener(t *testing.T) {
	certFile, keyFile := writePair(t, t.TempDir(), 1)
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	app := nano.New(nano.Config{Logger: quiet})
	app.Get("/who", who)
	listening(t, app, func() error {
		return app.Serve(tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}}))
	})
	for _, two := range []bool{false, true} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: two}
		resp, err := (&http.Client{Transport: transport, Timeout: 30 * time.Second}).Get("https://" + ln.Addr().String() + "/who")
		if err != nil {
			t.Fatalf("HTTP/2 %v: %v", two, err)
		}
		resp.Body.Close()
		if resp.StatusCode != 200 || (resp.ProtoMajor == 2) != two {
			t.Errorf("HTTP/2 %v: %s %d", two, resp.Proto, resp.StatusCode)
		}
		transport.CloseIdleConnections()
	}
}
