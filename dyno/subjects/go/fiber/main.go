// The subject go/fiber: Fiber v3 on fasthttp.
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

	"github.com/gofiber/fiber/v3"

	_ "dynoprobe"
)

func main() {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()
	s, err := settingsOf(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	// Prefork stays off, as by default: several processes would be another
	// design, not another framework.
	listen := fiber.ListenConfig{
		DisableStartupMessage: true,
		GracefulContext:       ctx,
		ShutdownTimeout:       5 * time.Second,
	}
	if err := routes(s).Listen(net.JoinHostPort(*host, strconv.Itoa(*port)), listen); err != nil {
		log.Fatal(err)
	}
}
