package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"dyno.example/dyno/load/measure"
)

// Limits of a Push.
const (
	pushQueue    = 64               // windows that may wait: about a minute
	pushTimeout  = 10 * time.Second // of one request
	pushTries    = 5                // for one window
	pushPause    = 200 * time.Millisecond
	pushResponse = 512 // bytes of a response that are shown
)

// Encoder turns windows into the bodies of requests: [RemoteWrite] and [OTLP].
type Encoder interface {
	Headers() map[string]string
	Encode(w *measure.Window) ([]byte, error)
}

// Push sends windows, as they finish, to where metrics are collected. The load
// never waits for it: what can't be sent in time is dropped, and counted.
type Push struct {
	target  string
	header  http.Header
	encoder Encoder
	client  *http.Client
	queue   chan *measure.Window
	ended   chan struct{}
	cancel  context.CancelFunc

	mu   sync.Mutex // of what follows
	seen int
	lost int
	last error // why the last one was lost
}

// NewPush starts sending to an http or https URL, with headers that are never
// shown to anyone. It ends with Close.
func NewPush(target string, header http.Header, encoder Encoder) *Push {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Push{
		target: target, header: header.Clone(), encoder: encoder,
		// A redirect would take the headers elsewhere.
		client: &http.Client{Timeout: pushTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		queue:  make(chan *measure.Window, pushQueue), ended: make(chan struct{}), cancel: cancel,
	}
	if p.header == nil {
		p.header = make(http.Header)
	}
	for name, value := range encoder.Headers() {
		p.header.Set(name, value)
	}
	p.header.Set("User-Agent", "dyno")
	go func() {
		defer close(p.ended)
		for w := range p.queue {
			if err := p.send(ctx, w); err != nil {
				p.lose(err)
			}
		}
	}()
	return p
}

// Window queues a finished window, or drops it if too many wait. It does not
// block.
func (p *Push) Window(w *measure.Window) {
	p.mu.Lock()
	p.seen++
	p.mu.Unlock()
	select {
	case p.queue <- w:
	default:
		p.lose(errors.New("too many windows were waiting"))
	}
}

func (p *Push) lose(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost++
	p.last = err
}

// Close gives what still waits so much time to be sent. It returns an error if
// anything was lost, saying how much and why.
func (p *Push) Close(patience time.Duration) error {
	close(p.queue)
	late := time.AfterFunc(patience, p.cancel)
	<-p.ended
	late.Stop()
	p.cancel()
	p.client.CloseIdleConnections()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost > 0 {
		return fmt.Errorf("%d of %d windows were not delivered: %w", p.lost, p.seen, p.last)
	}
	return nil
}

// send sends a window, again if it may help. The window counts in what the
// encoder adds up even if it can't be sent: the next one makes up for it.
func (p *Push) send(ctx context.Context, w *measure.Window) error {
	body, err := p.encoder.Encode(w)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		again, err := p.post(ctx, body)
		if err == nil || !again || try == pushTries {
			return err
		}
		select {
		case <-time.After(pushPause << (try - 1)):
		case <-ctx.Done():
			return err
		}
	}
}

// post sends once. Servers that are busy or out of order are worth another try
// (remote write 1.0, "Retries & Backoff"; OTLP, "Failures").
func (p *Push) post(ctx context.Context, body []byte) (again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.target, bytes.NewReader(body))
	if err != nil {
		return false, withoutURL(err)
	}
	request.Header = p.header
	response, err := p.client.Do(request)
	if err != nil {
		return true, withoutURL(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, pushResponse))
	if response.StatusCode/100 == 2 {
		return false, nil
	}
	again = response.StatusCode/100 == 5 || response.StatusCode == http.StatusTooManyRequests
	return again, fmt.Errorf("%s %s", response.Status, strings.TrimSpace(strings.ToValidUTF8(string(text), "")))
}

// withoutURL takes the URL, which may hold a password, out of an error.
func withoutURL(err error) error {
	var named *url.Error
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}
