package explain

// besideNames are what is drawn beside the slow requests.
var besideNames = map[Name]bool{GC: true, Steal: true, Throttled: true, CPUWait: true, Disk: true, Retransmit: true, PageFault: true, Generator: true}

// mostOf is the trial that has most of the requests.
func mostOf(list []Slow) (trial int) {
	count := map[int]int{}
	for i := range list {
		t := list[i].Trial
		if count[t]++; count[t] > count[trial] || count[trial] == 0 {
			trial = t
		}
	}
	return trial
}

// beside is what went on in a trial, second by second, of what ever did.
func (c *Cell) beside(trial int) (strips []Strip) {
	for m := range measures {
		if !besideNames[measures[m].name] {
			continue
		}
		s := Strip{Name: measures[m].name, Trial: trial}
		any := false
		for i := range c.seconds {
			one := &c.seconds[i]
			if one.trial != trial {
				continue
			}
			if len(s.Values) == 0 {
				s.From = one.window
			}
			for s.From+len(s.Values) < one.window { // a second that doesn't count
				s.Values = append(s.Values, 0)
			}
			s.Values = append(s.Values, one.amounts[m])
			any = any || one.amounts[m] > 0
		}
		if any {
			strips = append(strips, s)
		}
	}
	return strips
}
