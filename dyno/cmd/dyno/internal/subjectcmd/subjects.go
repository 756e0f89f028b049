package subjectcmd

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/subject"
	"dyno.example/dyno/subject/check"
	"dyno.example/internal/i18n"
)

// New is dyno subjects, with its subcommands.
func New(global *cli.Global) *cobra.Command {
	var asJSON bool
	var from string
	cmd := &cobra.Command{
		Use:   "subjects",
		Short: "List the subjects that ship with dyno; check, install and clean them",
		Args:  cli.NoArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := newBench(global, from)
			if err != nil {
				return err
			}
			items, err := b.plan(cmd.Context(), b.catalog.List())
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(os.Stdout, listed(items))
			}
			return list(items, global)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.PersistentFlags().StringVar(&from, "from", "", "subjects of this `FOLDER`, laid out as dyno's own, instead of those that ship with dyno")
	cmd.AddCommand(newCheck(global, &from), newInstall(global, &from), newClean(global, &from))
	return cmd
}

// bench is what the commands work with.
type bench struct {
	catalog *subject.Catalog
	builder *subject.Builder
	home    string
	global  *cli.Global
}

// newBench takes the subjects of the folder from, or those that ship with dyno if it is
// empty.
func newBench(global *cli.Global, from string) (*bench, error) {
	c, err := catalog(from)
	if err != nil {
		return nil, err
	}
	home, err := cli.Home()
	if err != nil {
		return nil, err
	}
	return &bench{c, &subject.Builder{Dir: filepath.Join(home, "cache")}, home, global}, nil
}

func catalog(from string) (*subject.Catalog, error) {
	if from == "" {
		return cli.Catalog()
	}
	c, err := subject.NewCatalog(os.DirFS(from))
	switch {
	case err != nil:
		return nil, i18n.Errorf("subjectcmd.from", "--from %s: %w", from, err)
	case len(c.List()) == 0:
		return nil, cli.UsageError(i18n.Errorf("subjectcmd.folder-without-subjects", "--from %s: no folder LANGUAGE/NAME below it has a subject.yaml", from))
	}
	return c, nil
}

func (b *bench) plan(ctx context.Context, subjects []subject.Manifest) ([]check.Item, error) {
	return check.Plan(ctx, b.builder, b.catalog, subjects)
}

// maxNamed is how many subjects can be named, far more than there are.
const maxNamed = 1000

// named finds subjects by their names, languages or folders of languages, in the order
// of the catalog.
func (b *bench) named(words []string) ([]subject.Manifest, error) {
	all := b.catalog.List()
	wanted := make(map[string]bool)
	for _, word := range words {
		found := false
		for _, m := range all {
			if m.Name == word || m.Language == word || strings.HasPrefix(m.Name, word+"/") {
				wanted[m.Name], found = true, true
			}
		}
		if !found {
			_, err := b.catalog.Get(word)
			return nil, cli.UsageError(err)
		}
	}
	return slices.DeleteFunc(all, func(m subject.Manifest) bool { return !wanted[m.Name] }), nil
}

// row is a subject in a list.
type row struct {
	Name      string   `json:"name"`
	Language  string   `json:"language"`
	Framework string   `json:"framework"`
	Version   string   `json:"version"`
	Role      string   `json:"role"`
	State     string   `json:"state"` // built, ready (it can be built) or lacks
	Lacks     []string `json:"lacks,omitempty"`
	CPUs      string   `json:"cpus,omitempty"` // how it uses every CPU it is given
	Remarks   string   `json:"remarks,omitempty"`
}

func listed(items []check.Item) []row {
	rows := make([]row, len(items))
	for i := range items {
		m := &items[i].Manifest
		rows[i] = row{m.Name, m.Language, m.Framework, m.VersionText(), roleText(m), state(&items[i]), lacks(&items[i]), m.CPUs, oneLine(m.Remarks)}
	}
	return rows
}

// roleText is a subject's role, and that it is of dyno's own project.
func roleText(m *subject.Manifest) string {
	if m.Own {
		return string(m.Role) + ", dyno's own"
	}
	return string(m.Role)
}

func state(item *check.Item) string {
	switch {
	case !item.Ready():
		return "lacks"
	case item.Cached:
		return "built"
	}
	return "ready"
}

func lacks(item *check.Item) (missing []string) {
	for _, lack := range item.Lacks {
		missing = append(missing, lack.Missing())
	}
	return missing
}

// Columns that there may be no room for on a terminal.
const role, remarks = 3, 5

func list(items []check.Item, global *cli.Global) error {
	table := [][]string{{"NAME", "FRAMEWORK", "VERSION", "ROLE", "STATE", "REMARKS"}}
	var incomplete int
	for _, r := range listed(items) {
		state := r.State
		if len(r.Lacks) > 0 {
			state += " " + strings.Join(r.Lacks, ", ")
			incomplete++
		}
		table = append(table, []string{r.Name, r.Framework, r.Version, r.Role, state, r.Remarks})
	}
	if err := cli.PrintTable(table, remarks, role); err != nil {
		return err
	}
	if incomplete > 0 {
		global.Out().Print(i18n.New("subjectcmd.lack-something", "\n%d of %d lack something that they are built or run with; to see what installs it: dyno subjects install LANGUAGE", incomplete, len(items)))
	}
	return nil
}

func oneLine(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", " ")
}
