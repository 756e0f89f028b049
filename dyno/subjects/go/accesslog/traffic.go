package main

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// traffic makes access logs as a shop's front has them, as far as that bears on how well they can be
// compressed: some clients come often, most seldom; few routes, many things; a session goes on from page to
// page; sizes and times are spread over decades.
type traffic struct {
	random  *rand.Rand
	clients *rand.Zipf
	things  *rand.Zipf
	pages   []string // that each client was at last
	now     time.Time
	ids     bool
}

const (
	clients = 20_000
	things  = 50_000
)

// newTraffic is the same for the same seed, but for when it was.
func newTraffic(seed uint64, ids bool) *traffic {
	random := rand.New(rand.NewPCG(seed, 1))
	return &traffic{
		random: random, clients: rand.NewZipf(random, 1.2, 8, clients-1), things: rand.NewZipf(random, 1.1, 20, things-1),
		pages: make([]string, clients), now: time.Now(), ids: ids,
	}
}

// What clients ask for, by how often they do, in percent.
var routesOf = []struct {
	share        int
	method, path string
	status, size int
}{
	{22, "GET", "/products/{thing}", 200, 9_000},
	{16, "GET", "/static/img/p{thing}.webp", 200, 38_000},
	{12, "GET", "/api/v2/products/{thing}/stock", 200, 180},
	{10, "GET", "/", 200, 24_000},
	{9, "GET", "/search?q={word}&page={page}", 200, 15_000},
	{8, "GET", "/static/js/main.7f3c21.js", 304, 0},
	{7, "POST", "/api/v2/cart/items", 201, 340},
	{5, "GET", "/api/v2/cart", 200, 620},
	{5, "GET", "/static/css/site.c81e02.css", 304, 0},
	{3, "POST", "/api/v2/session", 401, 90},
	{2, "GET", "/products/{thing}", 404, 1_200},
	{1, "POST", "/api/v2/orders", 503, 60},
}

var words = []string{"lamp", "oak+table", "usb-c+cable", "mug", "desk", "chair", "led", "shelf", "rug", "clock", "plant", "frame", "curtain", "pillow", "bottle", "hook"}

var agents = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E%d Safari/604.1",
	"Mozilla/5.0 (X11; Linux x86_64; rv:%d.0) Gecko/20100101 Firefox/140.0",
	"ShopApp/4.%d (build 8812)",
}

// next is the next request. A client keeps its address and its browser.
func (t *traffic) next() *entry {
	n := t.random.IntN(100)
	r := routesOf[0]
	for _, r = range routesOf {
		if n -= r.share; n < 0 {
			break
		}
	}
	client := int(t.clients.Uint64())
	thing := t.things.Uint64()
	path := strings.NewReplacer("{thing}", strconv.FormatUint(10_000+thing, 10),
		"{page}", strconv.FormatUint(1+thing%9, 10), "{word}", words[t.random.IntN(len(words))]).Replace(r.path)
	t.now = t.now.Add(time.Duration(t.random.ExpFloat64() * float64(80*time.Microsecond))) // 12,500 a second
	e := &entry{
		remote: address(client) + ":" + strconv.Itoa(32_768+t.random.IntN(28_000)), method: r.method, uri: path, proto: "HTTP/1.1",
		referer: t.pages[client], agent: fmt.Sprintf(agents[client%len(agents)], 120+client%17),
		status: r.status, size: int(float64(r.size) * math.Exp(t.random.NormFloat64()/2)),
		begun: t.now, took: time.Duration(math.Exp(7.5+t.random.NormFloat64())) * time.Microsecond,
	}
	if r.method == "GET" && r.status == 200 && !strings.HasPrefix(path, "/api") {
		t.pages[client] = "https://shop.example" + path
	}
	if t.ids {
		var id [16]byte
		for i := range id {
			id[i] = byte(t.random.Uint32())
		}
		e.id = hex.EncodeToString(id[:])
	}
	return e
}

func address(client int) string {
	n := uint32(client) * 2654435761
	return fmt.Sprintf("%d.%d.%d.%d", 11+n>>24%200, n>>16&255, n>>8&255, n&255)
}

// batch is as many lines as fit into so many bytes.
func (t *traffic) batch(size int) []byte {
	b := make([]byte, 0, size)
	for {
		line := appendLine(nil, t.next())
		if len(b)+len(line) > size {
			return b
		}
		b = append(b, line...)
	}
}

// pace calls each for events at a rate, those together that have come in some milliseconds, as packets bring them, and
// then says how late the last of them was, until it ends or one of the two fails.
func pace(rate int, ends <-chan struct{}, each func(*entry) error, late func(time.Duration) error) error {
	events := make([]*entry, 8192)
	traffic := newTraffic(uint64(time.Now().UnixNano()), false)
	for i := range events {
		events[i] = traffic.next()
	}
	begun := time.Now()
	for done := 0; ; {
		select {
		case <-ends:
			return nil
		case <-time.After(5 * time.Millisecond):
		}
		now := time.Now()
		for due := int(float64(rate) * now.Sub(begun).Seconds()); done < due; done++ {
			e := events[done%len(events)]
			e.begun = now
			if err := each(e); err != nil {
				return err
			}
		}
		if err := late(time.Since(now)); err != nil {
			return err
		}
	}
}
