package main

import (
	"fmt"
	"log"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers questions for any name with 127.0.0.1, and for IPv6 with nothing.
// Names that begin with "stall" are resolved late, one in every so many.
type nameServer struct {
	stall time.Duration
	every int
	asked atomic.Int64
}

// nameServerAt is a loopback address that no other upstream's port leads to, with the port of
// DNS: who watches the gateway's sockets sees by it what the gateway waits for.
// go/gateway reckons it as well.
func nameServerAt(port int) string { return fmt.Sprintf("127.53.%d.%d:53", port>>8, port&0xff) }

// listen answers questions at addr, and at dns if it may listen there.
func (s *nameServer) listen(addr, dns string) error {
	conn, err := net.ListenPacket("udp", addr)
	if err != nil {
		return err
	}
	go s.serve(conn)
	if conn, err = net.ListenPacket("udp", dns); err == nil {
		go s.serve(conn)
	} else if s.every > 0 {
		log.Printf("the name server listens at %s only, where dyno explain calls it an upstream and not dns: %v (run dyno as root, or with CAP_NET_BIND_SERVICE)", addr, err)
	}
	return nil
}

func (s *nameServer) serve(conn net.PacketConn) {
	question := make([]byte, 512)
	for {
		n, from, err := conn.ReadFrom(question)
		if err != nil {
			return
		}
		answer, name, ok := answerTo(question[:n])
		if !ok {
			continue
		}
		// IPv4 is asked for with each look-up, so that one in so many of these is one in so
		// many look-ups.
		if s.every > 0 && s.stall > 0 && strings.HasPrefix(name, "stall") && s.asked.Add(1)%int64(s.every) == 0 {
			go func() {
				time.Sleep(s.stall)
				conn.WriteTo(answer, from)
			}()
			continue
		}
		conn.WriteTo(answer, from)
	}
}

// answerTo makes the answer to a question. The name is that of a question for an IPv4
// address, else empty.
func answerTo(question []byte) (answer []byte, name string, ok bool) {
	var p dnsmessage.Parser
	header, err := p.Start(question)
	if err != nil {
		return nil, "", false
	}
	q, err := p.Question()
	if err != nil {
		return nil, "", false
	}
	b := dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: header.ID, Response: true, RecursionDesired: header.RecursionDesired, RecursionAvailable: true})
	if b.StartQuestions() != nil || b.Question(q) != nil || b.StartAnswers() != nil {
		return nil, "", false
	}
	if q.Type == dnsmessage.TypeA {
		name = q.Name.String()
		err = b.AResource(dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 0}, dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}})
		if err != nil {
			return nil, "", false
		}
	}
	answer, err = b.Finish()
	return answer, name, err == nil
}
