package servicecmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/service"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// New is dyno services, with its subcommands.
func New(global *cli.Global) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "services",
		Short: "List the services that studies can start, such as databases; check and install them",
		Args:  cli.NoArgs(),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return cli.WriteJSON(os.Stdout, rows())
			}
			return list(global)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(newCheck(global), newInstall(global))
	return cmd
}

// row is a kind of service in a list.
type row struct {
	Name  string   `json:"name"`
	What  string   `json:"what"`
	State string   `json:"state"` // ready or lacks
	Lacks []string `json:"lacks,omitempty"`
}

func rows() (list []row) {
	for _, k := range service.Kinds() {
		r := row{Name: k.Name, What: k.What, State: "ready"}
		for _, need := range k.Lacks() {
			r.State = "lacks"
			r.Lacks = append(r.Lacks, need.Command)
		}
		list = append(list, r)
	}
	return list
}

func list(global *cli.Global) error {
	table := [][]string{{"NAME", "STATE", "WHAT"}}
	lacking := false
	for _, r := range rows() {
		lacking = lacking || len(r.Lacks) > 0
		table = append(table, []string{r.Name, strings.TrimSpace(r.State + " " + strings.Join(r.Lacks, ", ")), r.What})
	}
	if err := cli.PrintTable(table, 2); err != nil {
		return err
	}
	if lacking {
		global.Out().Print(i18n.New("servicecmd.install-hint", "\nto see what installs it: dyno services install NAME"))
	}
	return nil
}

// kindsOf are the kinds named, or all if none are.
func kindsOf(names []string) ([]service.Kind, error) {
	all := service.Kinds()
	if len(names) == 0 {
		return all, nil
	}
	var kinds []service.Kind
	for _, name := range names {
		k, ok := service.KindOf(name)
		if !ok {
			return nil, cli.UsageError(i18n.Errorf("servicecmd.no-such-service", "no service is called %q; there are %s", name, i18n.Names(study.ServiceKinds()...)))
		}
		if !slices.ContainsFunc(kinds, func(o service.Kind) bool { return o.Name == k.Name }) {
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
}

func completeKinds(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return study.ServiceKinds(), cobra.ShellCompDirectiveNoFileComp
}

// newHost is where the commands start services.
func newHost(global *cli.Global) (*service.Host, error) {
	catalog, err := cli.Catalog()
	if err != nil {
		return nil, err
	}
	home, err := cli.Home()
	if err != nil {
		return nil, err
	}
	tell := func(m i18n.Message) {
		if !global.Quiet {
			global.Err().Print(m)
		}
	}
	return &service.Host{
		Catalog: catalog, StateDir: home, Tell: tell,
		Builder: &subject.Builder{Dir: filepath.Join(home, "cache"), Progress: func(line string) { tell(i18n.Verbatim(line)) }},
	}, nil
}
