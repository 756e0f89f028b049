package packets

import (
	"encoding/binary"
	"io"
)

// Mark says something of a connection's packets in a time: the first of them has it as its
// comment.
type Mark struct {
	Connection uint64
	From, To   int64 // CLOCK_REALTIME, ns
	Text       string
}

// Blocks and options of pcapng (draft-ietf-opsawg-pcapng).
const (
	sectionBlock   = 0x0A0D0D0A
	interfaceBlock = 1
	packetBlock    = 6
	byteOrder      = 0x1A2B3C4D
	rawIP          = 101 // LINKTYPE_RAW: packets begin with IP
	optionComment  = 1
	optionResol    = 9
	nanoseconds    = 9
	lengthUnknown  = ^uint64(0)
)

// Write writes a capture of the packets of a port, with a comment on the whole and marks on
// those that they are of.
func Write(to io.Writer, packets []Packet, port int, comment string, marks []Mark) error {
	var out []byte
	section := binary.LittleEndian.AppendUint32(nil, byteOrder)
	section = binary.LittleEndian.AppendUint32(section, 1) // version 1.0
	section = binary.LittleEndian.AppendUint64(section, lengthUnknown)
	out = block(out, sectionBlock, end(option(section, optionComment, comment)))
	face := binary.LittleEndian.AppendUint32(nil, rawIP)
	face = binary.LittleEndian.AppendUint32(face, 0) // no limit to lengths
	out = block(out, interfaceBlock, end(option(face, optionResol, string(rune(nanoseconds)))))
	texts := marked(packets, port, marks)
	for i := range packets {
		p := &packets[i]
		body := make([]byte, 20, 20+len(p.Headers)+8)
		at := uint64(p.At)
		binary.LittleEndian.PutUint32(body[4:], uint32(at>>32))
		binary.LittleEndian.PutUint32(body[8:], uint32(at))
		binary.LittleEndian.PutUint32(body[12:], uint32(len(p.Headers)))
		binary.LittleEndian.PutUint32(body[16:], uint32(p.Length))
		body = padded(append(body, p.Headers...))
		for _, text := range texts[i] {
			body = option(body, optionComment, text)
		}
		if len(texts[i]) > 0 {
			body = end(body)
		}
		out = block(out, packetBlock, body)
		if len(out) > 1<<16 {
			if _, err := to.Write(out); err != nil {
				return err
			}
			out = out[:0]
		}
	}
	_, err := to.Write(out)
	return err
}

// marked are the comments of packets, by their place. Packets are in the order in which they
// were captured, which is that of time but for a little.
func marked(packets []Packet, port int, marks []Mark) map[int][]string {
	of := make(map[uint64][]int) // places of a connection's packets
	for i := range packets {
		c := packets[i].connection(port)
		of[c] = append(of[c], i)
	}
	texts := make(map[int][]string)
	for _, m := range marks {
		for _, i := range of[m.Connection] {
			if packets[i].At >= m.From && packets[i].At <= m.To {
				texts[i] = append(texts[i], m.Text)
				break
			}
		}
	}
	return texts
}

func padded(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func option(b []byte, code uint16, value string) []byte {
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(value)))
	return padded(append(b, value...))
}

func end(b []byte) []byte { return append(b, 0, 0, 0, 0) }

func block(to []byte, kind uint32, body []byte) []byte {
	length := uint32(len(body) + 12)
	to = binary.LittleEndian.AppendUint32(to, kind)
	to = binary.LittleEndian.AppendUint32(to, length)
	return binary.LittleEndian.AppendUint32(append(to, body...), length)
}
