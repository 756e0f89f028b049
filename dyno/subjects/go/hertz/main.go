// The subject go/hertz: Hertz on its own network library, netpoll, and its own
// JSON library, sonic; both are its defaults.
package main

import (
	"flag"
	"net"
	"strconv"

	"github.com/cloudwego/hertz/pkg/common/hlog"

	_ "dynoprobe"
)

func main() {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()
	// Keeps what goes wrong, drops the banner and the list of routes.
	hlog.SetLevel(hlog.LevelError)
	// Spin listens, and shuts down gracefully on SIGTERM and SIGINT.
	routes(net.JoinHostPort(*host, strconv.Itoa(*port))).Spin()
}
