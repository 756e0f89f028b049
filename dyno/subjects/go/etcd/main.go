// The subject go/etcd: one etcd server in a program, with a folder of its own that goes
// with it. It is what go/etcd-watch asks.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 8080, "port to listen on")
	flag.Parse()
	if err := serve(*host, *port); err != nil {
		log.Fatal(err)
	}
}

// serve runs until SIGTERM or SIGINT.
func serve(host string, port int) error {
	dir, err := os.MkdirTemp("", "etcd-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)

	c := embed.NewConfig()
	c.Dir, c.LogLevel = dir, "fatal"
	clients := url.URL{Scheme: "http", Host: fmt.Sprintf("%s:%d", host, port)}
	peers := url.URL{Scheme: "http", Host: host + ":0"} // nobody comes
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{clients}, []url.URL{clients}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{peers}, []url.URL{peers}
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	e, err := embed.StartEtcd(c)
	if err != nil {
		return err
	}
	defer e.Close()
	select {
	case err := <-e.Err():
		return err
	case <-e.Server.StopNotify():
		return fmt.Errorf("etcd has stopped")
	case <-stop:
		return nil
	}
}
