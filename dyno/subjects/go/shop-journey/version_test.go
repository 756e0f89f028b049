package main

import (
	"strings"
	"testing"
)

func TestUnknownStep(t *testing.T) {
	_, err := open(t.Context(), func(name string) string { return map[string]string{"SHOP_STEP": "rebuilt"}[name] })
	if err == nil || !strings.Contains(err.Error(), "naive, pool, queries, cache, local") {
		t.Errorf("got %v", err)
	}
}
