//go:build linux

package admin_test

import (
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/canary"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/mirror"
)

var screenshots = flag.String("screenshots", "", "folder to write pictures of the page to, with a made-up gateway")

// madeUp has the responses of a gateway with some of everything, by path.
func madeUp() map[string]any {
	at := time.Now()
	in := func(d time.Duration) *time.Time { return new(at.Add(d)) }
	took := func(n uint64) map[int]uint64 { return map[int]uint64{8: n / 2, 12: n / 3, 20: n / 10} }
	figures := func(n uint64) admin.Figures {
		return admin.Figures{Requests: n, Status: map[string]uint64{"2xx": n - n/50, "5xx": n / 50}, Took: took(n), P50: 0.3, P99: 2}
	}
	two := 2.1
	return map[string]any{
		"/ready": admin.Status{Ready: true, Config: "/etc/nanogate.yaml", Listen: []string{"0.0.0.0:443", "0.0.0.0:80"}, Clients: 1234, Routes: 4, Version: 7,
			Problems: []string{"there is no certificate for new.example yet: by dns-01: the name server refuses the update: NOTAUTH (tried 3 times, again at 2026-01-02T03:04:05Z)"}},
		"/routes": []admin.Route{
			{Name: "shop", Hosts: []string{"shop.example"}, Path: "/*", To: []admin.Target{{Upstream: "shop", Weight: 1}}, Figures: figures(90_000), Cache: &admin.RouteCache{Stored: 4123, Bytes: 734 << 20,
				Results: map[string]uint64{"hit": 70_000, "stale": 300, "saved": 12, "coalesced": 900, "revalidated": 1500, "miss": 14_000, "expired": 1200, "bypass": 2088}}},
			{Name: "api-of-the-warehouse", Hosts: []string{"api.shop.example"}, Path: "/v1/{tenant}/orders/*", Methods: []string{"GET", "POST"}, To: []admin.Target{{Upstream: "orders", Weight: 95}, {Upstream: "orders-next", Weight: 5}}, Figures: figures(12_000)},
			{Name: "images", Path: "/images/*", To: []admin.Target{{Upstream: "shop", Weight: 1}}, Cache: &admin.RouteCache{Results: map[string]uint64{}}},
			{Name: "old", Path: "/old", Redirect: 308, Figures: figures(10)},
		},
		"/upstreams": []admin.Upstream{{Name: "shop", Balance: "least-request", Endpoints: []admin.Endpoint{
			{Address: "10.0.0.1:9000", Weight: 1, Usable: true, Active: 3, Figures: figures(50_000)}, {Address: "10.0.0.2:9000", Weight: 1, Marks: []string{"unhealthy"}, Figures: figures(40_000)}}}},
		"/canaries": []admin.Canary{{Route: "api-of-the-warehouse", To: "orders-next", State: "rolled-back", Since: at, Why: "it failed 2.1 times as often", Step: 1, Steps: 3, Weight: 0.05, Confidence: 0.95,
			Stable: canary.Side{Requests: 11_400, Failed: 20}, Canary: canary.Side{Requests: 600, Failed: 9}, Failed: &admin.Ratio{Estimate: &two, Low: 1.3, High: nil, Allowed: 1.1}}},
		"/mirrors": []admin.Mirror{{Route: "shop", To: "shop-next", Share: 0.1, Same: 8900, Different: 100, Failed: 1, Dropped: map[string]uint64{"queue": 4}, Mean: 1.2, ShadowMean: 1.4,
			Differences: []mirror.Differed{{Kind: "json", Field: "$.items[*].price", Count: 80}, {Kind: "header", Field: "etag", Count: 20}}}},
		"/mirrors/samples": []admin.Samples{},
		"/cache":           &admin.Cache{Bytes: 187 << 20, Most: 256 << 20, URLs: 8123, Evicted: 321, Purged: 17, Refused: 5},
		"/identity": []admin.Identity{
			{Route: "shop", Guard: "oidc", Where: "https://id.shop.example/realms/customers", Ready: true, Logouts: 42},
			{Route: "api-of-the-warehouse", Guard: "jwt", Where: "https://id.shop.example/realms/customers/protocol/openid-connect/certs", Ready: true, Error: "Get \"https://id.shop.example/…\": context deadline exceeded"},
			{Route: "hooks", Guard: "introspect", Where: "https://id.partner.example/introspect", Error: "the identity provider: it responded to the introspection with 503 Service Unavailable"}},
		"/certificates": []admin.Certificate{
			{Name: "shop.example", File: "/var/lib/nanogate/acme/acme-v02.api.letsencrypt.org-directory/shop.example.pem", Expires: in(61 * 24 * time.Hour), Renews: in(31 * 24 * time.Hour)},
			{Name: "late.example", File: "/var/lib/nanogate/acme/late.example.pem", Expires: in(50 * time.Hour), Renews: in(-20 * 24 * time.Hour), Failures: 9, Next: in(time.Hour), Error: "by http-01: 403 urn:ietf:params:acme:error:unauthorized"},
			{Name: "new.example", File: "/var/lib/nanogate/acme/new.example.pem", Failures: 3, Next: in(2 * time.Hour), Error: "by dns-01: the name server refuses the update: NOTAUTH"},
			{File: "/etc/nanogate/site.pem", Expires: in(-time.Hour)}},
		"/plugins": []admin.Plugin{
			{Name: "stamp", File: "/etc/nanogate/stamp.wasm", Requests: 9000, Responses: 8990, Replied: 10, Failed: map[string]uint64{"late": 2, "trapped": 1}, Mean: 0.04, Instances: 4, Memory: 5 << 20},
			{Name: "new", File: "/etc/nanogate/new.wasm", Problem: "the file has changed, and what it holds can't be used: it exports no handle_request"}},
	}
}

// view is a size and colours that the page is looked at with.
type view struct {
	name          string
	width, height int64
	scheme        string
}

// The page shows all that there is, on screens of any size without going beyond their width,
// and without an error in its script. Pictures to look at are written by:
//
//	go test ./nanogate/conformance/admin -run Page -screenshots /tmp/pages
func TestPage(t *testing.T) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium in PATH: the page can't be looked at")
	}
	c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\nroutes: [{respond: {}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.Start(c, gateway.Options{Loops: 1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Shutdown(context.Background())
	app := admin.New(g, admin.Options{Local: true})
	responses := madeUp()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch response, ok := responses[r.URL.Path]; {
		case ok:
			_ = json.NewEncoder(w).Encode(response)
		case slices.Contains([]string{"/", "/page.css", "/page.js"}, r.URL.Path):
			app.ServeHTTP(w, r)
		default:
			t.Errorf("it asks for %s", r.URL)
		}
	}))
	defer server.Close()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU)
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	defer stop()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	defer func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("closing the browser: %v", err)
		}
	}()
	var mu sync.Mutex
	if err := chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*runtime.EventExceptionThrown); ok {
			mu.Lock()
			defer mu.Unlock()
			t.Errorf("an exception: %s", e.ExceptionDetails.Text)
		}
	}); err != nil {
		t.Fatal(err)
	}
	for _, v := range []view{{"desktop", 1280, 900, "light"}, {"desktop-dark", 1280, 900, "dark"}, {"phone", 390, 844, "light"}, {"phone-dark", 390, 844, "dark"}} {
		look(t, ctx, server.URL, v)
	}
}

// look opens the page, and says what is wrong with it.
func look(t *testing.T, ctx context.Context, url string, v view) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", v.name, err)
		}
	}
	_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: v.width, Height: v.height, DeviceScaleFactor: 1, Mobile: v.width < 500})
	must(err)
	_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme}}})
	must(err)
	must(chromedp.Do(ctx, chromedp.Navigate(url), chromedp.WaitReady(chromedp.CSS(`#plugins tbody tr`))))
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText.replace(/\s+/g, " ")`))
	must(err)
	for _, want := range []string{
		"187 MiB of 256 MiB · 8,123 URLs · 321 evicted · 17 purged · 5 not stored", "79.1 %", "734 MiB", // the cache
		"id.shop.example/realms/customers", "goes on with what it knows", "can't be asked", // identity
		"in 61 days", "can't be renewed", "none yet", "expired", "403 urn:ietf", // certificates
		"late (2), trapped (1)", "it exports no handle_request", // plug-ins
		"it failed 2.1 times as often", "json $.items[*].price (80)", "unhealthy",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: it lacks %q:\n%s", v.name, want, text)
		}
	}
	wide, err := chromedp.Run(ctx, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`))
	if must(err); wide > v.width {
		t.Errorf("%s: it is %d pixels wide, and the screen %d", v.name, wide, v.width)
	}
	if *screenshots != "" {
		picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		must(err)
		must(os.WriteFile(filepath.Join(*screenshots, v.name+".png"), picture, 0o644))
	}
}
