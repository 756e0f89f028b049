package http2

import "encoding/binary"

// Parameters of SETTINGS (RFC 9113 6.5.2, RFC 8441 3, RFC 9218 2.1).
const (
	paramHeaderTableSize   = 0x1
	paramEnablePush        = 0x2
	paramMaxConcurrent     = 0x3
	paramInitialWindow     = 0x4
	paramMaxFrame          = 0x5
	paramMaxHeaderList     = 0x6
	paramConnectProtocol   = 0x8
	paramNoRFC7540Priority = 0x9
)

// Sizes that RFC 9113 6.5.2 and 6.9.2 set.
const (
	defaultTable  = 4096
	defaultWindow = 65535
	maxWindow     = 1<<31 - 1
	unlimited     = 1<<32 - 1
)

// Settings are the SETTINGS that one side sends to the other.
type Settings struct {
	HeaderTable     uint32 // bytes of HPACK's dynamic table that the other side's encoder may use
	Push            bool   // the other side may push
	MaxConcurrent   uint32 // streams that the other side may have open at a time
	InitialWindow   uint32 // bytes that the other side may send on a new stream
	MaxFrame        uint32 // bytes of a frame's payload
	MaxHeaderList   uint32 // bytes of a section's fields: names, values and 32 for each
	ConnectProtocol bool   // extended CONNECT (RFC 8441) is taken
}

// initialSettings hold until the peer has sent its own (RFC 9113 6.5.2).
var initialSettings = Settings{defaultTable, true, unlimited, defaultWindow, MinMaxFrame, unlimited, false}

// Violations in SETTINGS.
var (
	errPushValue       = connError(ProtocolError, "RFC 9113 6.5.2", "SETTINGS_ENABLE_PUSH is not 0 or 1")
	errPushByServer    = connError(ProtocolError, "RFC 9113 6.5.2", "a server set SETTINGS_ENABLE_PUSH")
	errWindowValue     = connError(FlowControlError, "RFC 9113 6.5.2", "SETTINGS_INITIAL_WINDOW_SIZE is above 2^31-1")
	errMaxFrameValue   = connError(ProtocolError, "RFC 9113 6.5.2", "SETTINGS_MAX_FRAME_SIZE is below 16384 or above 2^24-1")
	errConnectValue    = connError(ProtocolError, "RFC 8441 3", "SETTINGS_ENABLE_CONNECT_PROTOCOL is not 0 or 1, or was taken back")
	errPriorityNoValue = connError(ProtocolError, "RFC 9218 2.1", "SETTINGS_NO_RFC7540_PRIORITIES is not 0 or 1")
)

// Apply sets what the payload of a SETTINGS frame says; fromServer: the server sent it.
// Parameters that are not known are ignored (RFC 9113 6.5.2).
func (s *Settings) Apply(payload []byte, fromServer bool) *Error {
	for ; len(payload) >= 6; payload = payload[6:] {
		if err := s.set(binary.BigEndian.Uint16(payload), binary.BigEndian.Uint32(payload[2:]), fromServer); err != nil {
			return err
		}
	}
	return nil
}

func (s *Settings) set(param uint16, value uint32, fromServer bool) *Error {
	switch param {
	case paramHeaderTableSize:
		s.HeaderTable = value
	case paramEnablePush:
		if value > 1 {
			return errPushValue
		}
		if value == 1 && fromServer {
			return errPushByServer
		}
		s.Push = value == 1
	case paramMaxConcurrent:
		s.MaxConcurrent = value
	case paramInitialWindow:
		if value > maxWindow {
			return errWindowValue
		}
		s.InitialWindow = value
	case paramMaxFrame:
		if value < MinMaxFrame || value > MaxMaxFrame {
			return errMaxFrameValue
		}
		s.MaxFrame = value
	case paramMaxHeaderList:
		s.MaxHeaderList = value
	case paramConnectProtocol:
		if value > 1 || value == 0 && s.ConnectProtocol {
			return errConnectValue
		}
		s.ConnectProtocol = value == 1
	case paramNoRFC7540Priority:
		if value > 1 {
			return errPriorityNoValue
		}
	}
	return nil
}

// AppendSettings appends s as a SETTINGS frame; what is as it is initially is left
// out. A server says nothing about pushes and a client nothing about CONNECT.
func AppendSettings(dst []byte, s *Settings, server bool) []byte {
	at := len(dst)
	dst = AppendFrameHeader(dst, FrameHeader{0, 0, FrameSettings, 0})
	add := func(param uint16, value, initial uint32) {
		if value != initial {
			dst = binary.BigEndian.AppendUint16(dst, param)
			dst = binary.BigEndian.AppendUint32(dst, value)
		}
	}
	add(paramHeaderTableSize, s.HeaderTable, defaultTable)
	if !server {
		add(paramEnablePush, bit(s.Push), 1)
	}
	add(paramMaxConcurrent, s.MaxConcurrent, unlimited)
	add(paramInitialWindow, s.InitialWindow, defaultWindow)
	add(paramMaxFrame, s.MaxFrame, MinMaxFrame)
	add(paramMaxHeaderList, s.MaxHeaderList, unlimited)
	if server {
		add(paramConnectProtocol, bit(s.ConnectProtocol), 0)
	}
	dst[at+2] = byte(len(dst) - at - FrameHeaderLen) // 7 parameters: 42 bytes at most
	return dst
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
