package metrics_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/metrics"
	"dyno.example/nano/nanotest"
)

func TestRefusals(t *testing.T) {
	app := nano.New(nano.Config{Limits: nano.Limits{URI: 100}})
	m := metrics.New(metrics.Config{Namespace: "shop"})
	m.Refusals(app)
	app.Get("/metrics", m.Handler())
	app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/"+strings.Repeat("a", 200), nil))
	if got := nanotest.New(app).Get("/metrics").Do().Text(); !strings.Contains(got, `shop_refused_total{status="414"} 1`) {
		t.Error(got)
	}
}
