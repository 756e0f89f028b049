package request

// Importance says which requests give way to which when not all can be served: lower
// ones are shed first.
type Importance uint8

const (
	Low      Importance = iota // batches, prefetches: what can come later
	Normal                     // the default
	High                       // what users wait for
	Critical                   // never shed: health checks, payments

	Importances = iota // how many there are
)

// ImportanceNames are their names in files, fields and metrics.
var ImportanceNames = []string{"low", "normal", "high", "critical"}

// String is its name.
func (i Importance) String() string { return ImportanceNames[i] }
