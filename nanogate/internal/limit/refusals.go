package limit

import (
	"strconv"
	"time"

	"dyno.example/nanogate/internal/request"
)

// refusals are responses of 429 with Retry-After: 1 to 60 seconds, then 1 to 60 minutes.
type refusals [120]*request.Reply

func newRefusals(text string, why request.Refusal) (all refusals) {
	for i := range all {
		seconds := i + 1
		if i >= 60 {
			seconds = (i - 59) * 60
		}
		all[i] = request.Refuse(429, text, "Retry-After: "+strconv.Itoa(seconds)+"\r\n").For(why)
	}
	return all
}

// in is the response for a wait in ns.
func (all *refusals) in(wait int64) *request.Reply {
	seconds := int((wait + int64(time.Second) - 1) / int64(time.Second))
	if seconds <= 60 {
		return all[seconds-1]
	}
	return all[min(len(all)-1, 59+(seconds+59)/60)]
}
