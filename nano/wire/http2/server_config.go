package http2

import "time"

const pseudoFields = 4 // of a request (RFC 9113 8.3.1)

// ServerConfig is how a server meets clients that it holds to the limits it has for heads
// of HTTP/1.1: bytes in all, and how many fields. stall is how long a client may take
// nothing of a response; 0: as [Limits] has it. Streams may be WebSockets (RFC 8441). What
// else there is to be said is set before [NewConfig].
func ServerConfig(head, fields int, stall time.Duration) Config {
	settings := DefaultSettings
	settings.ConnectProtocol = true
	// Each field counts for 32 bytes more than it has (6.5.2), in HTTP/1.1 for 4.
	settings.MaxHeaderList = uint32(min(int64(head)+28*min(int64(fields), 1<<16), 1<<30))
	return Config{
		Server: true, Settings: settings, Table: serverTable,
		Limits: Limits{HeaderFields: fields + pseudoFields, StallWait: max(stall, 0)},
	}
}

// serverTable is how many bytes a server's connection keeps of fields that were sent: most
// of its responses' heads come to a few bytes then.
const serverTable = 1 << 10
