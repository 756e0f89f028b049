package grpc

import (
	"fmt"
	"net"
	"strings"
	"unsafe"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	wire "dyno.example/nano/wire/grpc"
)

// incoming returns the request's metadata, made at the first call.
func (k *call) incoming() metadata.MD {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.in != nil || k.ended {
		return k.in
	}
	k.in = metadata.MD{}
	for name, value := range k.c.Headers() {
		key := strings.ToLower(name.String())
		switch key {
		case "te", "host", wire.FieldTimeout, wire.FieldEncoding:
			continue
		}
		if !wire.IsBinary(key) {
			k.in.Append(key, value.String())
			continue
		}
		for one := range strings.SplitSeq(value.String(), ",") { // some join values ("Custom-Metadata")
			if bytes, err := wire.ParseBinary([]byte(strings.TrimSpace(one))); err == nil {
				k.in.Append(key, string(bytes))
			}
		}
	}
	k.in[":authority"] = []string{k.c.Host().String()}
	return k.in
}

// peer returns the caller's address and credentials.
func (k *call) peer() *peer.Peer {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.from != nil || k.ended {
		return k.from
	}
	k.from = &peer.Peer{Addr: net.TCPAddrFromAddrPort(k.c.RemoteAddr())}
	if state := k.c.ConnectionState(); state != nil {
		k.from.AuthInfo = credentials.TLSInfo{
			State:          *state,
			CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity},
		}
	}
	return k.from
}

// Method implements grpc.ServerTransportStream.
func (k *call) Method() string { return k.method.name }

// SetHeader implements grpc.ServerTransportStream.
func (k *call) SetHeader(md metadata.MD) error {
	if err := check(md); err != nil || len(md) == 0 {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.beforeHead(); err != nil {
		return err
	}
	k.header = metadata.Join(k.header, md)
	return nil
}

// SendHeader implements grpc.ServerTransportStream.
func (k *call) SendHeader(md metadata.MD) error {
	if err := check(md); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.beforeHead(); err != nil {
		return err
	}
	k.header = metadata.Join(k.header, md)
	if err := k.sendHead(); err != nil {
		return err
	}
	return k.failure(k.s.body.Flush())
}

// SetTrailer implements grpc.ServerTransportStream.
func (k *call) SetTrailer(md metadata.MD) error {
	if err := check(md); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended {
		return errOver
	}
	k.trailer = metadata.Join(k.trailer, md)
	return nil
}

var (
	errOver     = status.Error(codes.Internal, "the call is over")
	errHeadSent = status.Error(codes.Internal, "the response's header has been sent already")
)

func (k *call) beforeHead() error {
	switch {
	case k.ended:
		return errOver
	case k.sent:
		return errHeadSent
	}
	return nil
}

// check holds metadata to what can be sent ("Custom-Metadata").
func check(md metadata.MD) error {
	for name, values := range md {
		if name == "" {
			return status.Error(codes.Internal, "metadata has a key without a name")
		}
		for i := range len(name) {
			if c := name[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.') && (i > 0 || c != ':') {
				return status.Error(codes.Internal, fmt.Sprintf("metadata: key %q has characters that are not in [0-9a-z-_.]", name))
			}
		}
		if wire.IsBinary(name) {
			continue
		}
		for _, v := range values {
			for i := range len(v) {
				if v[i] < ' ' || v[i] > '~' {
					return status.Error(codes.Internal, fmt.Sprintf("metadata: a value of %q has characters that are not printable ASCII; keys of binary values end in -bin", name))
				}
			}
		}
	}
	return nil
}

// eachField gives f the fields that metadata is sent as, but for those that are the
// protocol's own.
func eachField(md metadata.MD, f func(name, value string)) {
	for name, values := range md {
		switch name {
		case "content-type", "te", "user-agent", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "content-length", "date",
			wire.FieldTimeout, wire.FieldEncoding, wire.FieldStatus, wire.FieldMessage, wire.FieldDetails:
			continue
		}
		if name[0] == ':' {
			continue
		}
		for _, v := range values {
			if wire.IsBinary(name) {
				v = string(wire.AppendBinary(nil, []byte(v)))
			}
			f(name, v)
		}
	}
}

// unsafeString is b as a string, which must not be kept.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
