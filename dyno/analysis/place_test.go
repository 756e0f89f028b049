package analysis

import (
	"fmt"
	"slices"
	"testing"

	"dyno.example/dyno/analysis/analysistest"
)

func TestAmong(t *testing.T) {
	// 7 leads all but 3, which can't be told from it; 3 leads 5 alone.
	places := []Place{
		{Rank: 1, Last: 2, Subject: "go/a", Cell: 7}, {Rank: 1, Last: 3, Subject: "go/b", Cell: 3},
		{Rank: 2, Last: 4, Subject: "rust/a", Cell: 4, Behind: []int{7}}, {Rank: 3, Last: 4, Subject: "c/a", Cell: 5, Behind: []int{3, 7}},
	}
	for _, c := range []struct {
		cells []int
		want  string
	}{
		{[]int{3, 4, 5, 7}, "7:1-2 3:1-3 4:2-4 5:3-4"},
		{[]int{3, 4, 5}, "3:1-2 4:1-3 5:2-3"}, // what led 4 is not there
		{[]int{4, 5}, "4:1-2 5:1-2"},
		{[]int{5}, "5:1-1"},
		{nil, ""},
	} {
		var got string
		for i, p := range Among(places, func(p Place) bool { return slices.Contains(c.cells, p.Cell) }) {
			if i > 0 {
				got += " "
			}
			got += fmt.Sprintf("%d:%d-%d", p.Cell, p.Rank, p.Last)
			if p.Rank != len(p.Behind)+1 {
				t.Errorf("among %v: rank %d, behind %v", c.cells, p.Rank, p.Behind)
			}
		}
		if got != c.want {
			t.Errorf("among %v: %s, want %s", c.cells, got, c.want)
		}
	}
	if places[2].Rank != 2 || len(places[3].Behind) != 2 {
		t.Error("the places given were changed")
	}
}

// Ranks of an archived run follow from who is behind whom.
func TestRanksFollowFromBehind(t *testing.T) {
	a, err := Analyse(analysistest.Run(7))
	if err != nil {
		t.Fatal(err)
	}
	apart := 0
	for _, g := range a.Groups {
		for metric, places := range g.Ranking {
			for i, p := range Among(places, func(Place) bool { return true }) {
				if p.Cell != places[i].Cell || p.Rank != places[i].Rank || p.Last != places[i].Last {
					t.Errorf("%s: place %d is %+v, ranked again %+v", metric, i, places[i], p)
				}
				apart += len(p.Behind)
			}
		}
	}
	if apart == 0 {
		t.Error("nobody is behind anybody: the run can't tell")
	}
}
