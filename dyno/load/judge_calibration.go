package load

import (
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// atFloor is the limit of the finding; dyno/docs/findings.md explains it.
const atFloor = 2 // times the floor's median, below which a median is mostly ours

// judgeCalibration holds the load to what was found out before it.
func (r *Result) judgeCalibration(spec *Spec) {
	c := spec.Calibration
	if c == nil {
		if spec.Uncalibrated != "" {
			r.Findings = append(r.Findings, finding.Finding{Name: finding.NotCalibrated, Validity: finding.Valid, Detail: i18n.New("load.generator-uncalibrated",
				"what the generator can do on this machine was not measured before the load: %s", spec.Uncalibrated)})
		}
		return
	}
	r.Findings = append(r.Findings, c.Judge(&spec.Profile)...)
	h := r.Total.Hist[measure.Response]
	if h == nil || h.TotalCount() == 0 || c.Floor.P50 <= 0 {
		return
	}
	if p50 := time.Duration(h.ValueAtPercentile(50)); p50 < atFloor*c.Floor.P50 {
		r.Findings = append(r.Findings, finding.Finding{Name: finding.AtFloor, Validity: finding.Valid, Detail: i18n.New("load.median-near-floor",
			"the median response of %v is less than %d × the %v that generator and loopback take by themselves: most of it is not the service's",
			p50.Round(time.Microsecond), atFloor, c.Floor.P50.Round(time.Microsecond))})
	}
}
