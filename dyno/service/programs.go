package service

import (
	"context"
	"os"

	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// What is built of the sources that ship with dyno, as subjects are: the kit, and servers
// that no distribution has as a package.

var goTool = subject.Need{Command: "go", Check: "go version", Min: "1.26", Install: "https://go.dev/dl or your distribution's golang package"}

// goBuild is the command that builds a Go program of a folder, by that folder's module
// alone.
const goBuild = "GOWORK=off GOFLAGS=-mod=readonly CGO_ENABLED=0 go build -trimpath -buildvcs=false -o $OUT/"

func servicekit() subject.Manifest {
	const name = "go/servicekit"
	return subject.Manifest{
		Name: name, Build: subject.Recipe{Command: goBuild + "servicekit .", Inputs: []string{name}}, Needs: []subject.Need{goTool},
	}
}

func s3server() subject.Manifest {
	const name = "go/s3server"
	return subject.Manifest{
		Name: name, Build: subject.Recipe{Command: goBuild + "versitygw github.com/versity/versitygw/cmd/versitygw", Inputs: []string{name}, Disk: 600 << 20},
		Needs: []subject.Need{goTool},
	}
}

func kafkaServer() subject.Manifest {
	const name = "java/kafka"
	return subject.Manifest{
		Name: name,
		Build: subject.Recipe{
			Command: "mvn --batch-mode --quiet dependency:copy-dependencies -DoutputDirectory=$OUT/lib -DincludeScope=runtime && sh prepare.sh",
			Inputs:  []string{name}, Disk: 400 << 20,
		},
		Needs: []subject.Need{
			{Command: "java", Check: "java --version", Min: "17", Install: "https://adoptium.net or your distribution's package openjdk-17-jre-headless", Debian: []string{"openjdk-17-jre-headless"}},
			{Command: "mvn", Check: "mvn --version 2>/dev/null | grep -o 'Maven [0-9.]*'", Min: "3.6", Install: "your distribution's package maven", Debian: []string{"maven"}},
		},
	}
}

// build builds a program, only once, and returns the folder it is in.
func (h *Host) build(ctx context.Context, m subject.Manifest) (string, error) {
	a, err := h.Builder.Build(ctx, h.Catalog, m)
	if err != nil {
		return "", i18n.Errorf("service.building", "building %s: %w", m.Name, err)
	}
	return a.Out, nil
}

// temp is the folder below which services get theirs.
func (h *Host) temp() string {
	if h.Temp != "" {
		return h.Temp
	}
	return os.TempDir()
}
