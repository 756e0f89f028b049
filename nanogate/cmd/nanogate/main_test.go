//go:build linux

package main

import (
	"os"
	"testing"

	"dyno.example/nanogate/internal/commandtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(commandtest.AsCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}
