package health

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"

	"google.golang.org/protobuf/encoding/protowire"

	"dyno.example/nano/wire/grpc"
	"dyno.example/nanogate/internal/upstream"
)

// The health checking protocol of gRPC (doc/health-checking.md of github.com/grpc/grpc):
// a call whose response is a status, of which one is healthy.
const (
	checkMethod  = "/grpc.health.v1.Health/Check"
	serviceField = 1 // of HealthCheckRequest
	statusField  = 1 // of HealthCheckResponse
	serving      = 1
	mostResponse = 4 << 10 // bytes
)

// checkServing checks one endpoint over gRPC.
func (a *Active) checkServing(ctx context.Context, e *upstream.Endpoint) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+e.Host+checkMethod, bytes.NewReader(checkRequest(a.rules.Service)))
	if err != nil {
		return err
	}
	if a.rules.Host != "" {
		req.Host = a.rules.Host
	}
	req.Header.Set("Content-Type", grpc.ContentType)
	req.Header.Set("TE", "trailers")
	req.Header.Set("User-Agent", "nanogate health check")
	resp, err := a.second.Do(req)
	if err != nil {
		return cause(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostResponse))
	switch {
	case err != nil:
		return cause(err)
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("status %d", resp.StatusCode)
	case resp.Trailer.Get(grpc.FieldStatus) != "0":
		return fmt.Errorf("grpc-status %.8q", resp.Trailer.Get(grpc.FieldStatus))
	case !saysServing(body):
		return errors.New("it isn't serving")
	}
	return nil
}

// checkRequest is the request message for a service.
func checkRequest(service string) []byte {
	var m []byte
	if service != "" {
		m = protowire.AppendString(protowire.AppendTag(nil, serviceField, protowire.BytesType), service)
	}
	return append(grpc.AppendPrefix(nil, len(m), false), m...)
}

// saysServing reads the response message.
func saysServing(body []byte) bool {
	if len(body) < grpc.PrefixLen || body[0] != 0 || int(binary.BigEndian.Uint32(body[1:])) != len(body)-grpc.PrefixLen {
		return false
	}
	status := uint64(0)
	for m := body[grpc.PrefixLen:]; len(m) > 0; {
		number, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			return false
		}
		m = m[n:]
		if number == statusField && kind == protowire.VarintType {
			if status, n = protowire.ConsumeVarint(m); n < 0 {
				return false
			}
		} else if n = protowire.ConsumeFieldValue(number, kind, m); n < 0 {
			return false
		}
		m = m[n:]
	}
	return status == serving
}
