// The subject go/echo: Echo v5 on net/http, started by its own StartConfig.
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/labstack/echo/v5"

	_ "dynoprobe"
)

func main() {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	// Echo itself sets a read timeout of 30 s, which is also how long an idle
	// connection is kept.
	start := echo.StartConfig{
		Address:         net.JoinHostPort(*host, strconv.Itoa(*port)),
		HideBanner:      true,
		HidePort:        true,
		GracefulTimeout: 5 * time.Second,
	}
	if err := start.Start(ctx, routes()); err != nil {
		log.Fatal(err)
	}
}
