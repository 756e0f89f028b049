package main

import (
	"net"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers questions for any name with 127.0.0.1, and for IPv6 with nothing.
// Names that begin with "stall" are resolved late, one in every so many.
type nameServer struct {
	conn  net.PacketConn
	stall time.Duration
	every int
	asked atomic.Int64
}

func (s *nameServer) serve() {
	question := make([]byte, 512)
	for {
		n, from, err := s.conn.ReadFrom(question)
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
				s.conn.WriteTo(answer, from)
			}()
			continue
		}
		s.conn.WriteTo(answer, from)
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
