//go:build linux

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// lab is what all campaigns share: programs, files and settings.
type lab struct {
	options     options
	self        string // this program, which is also the servers
	dyno        string // built from this source
	dynoHelp    string // what dyno load --help prints: which flags it has
	dir         string // temporary
	peers       string // folder of installed peers
	certificate string // PEM file with certificate and key
	watch       *watch
}

// openLab builds dyno and makes what campaigns need.
func openLab(ctx context.Context, o options) (*lab, error) {
	dir, err := os.MkdirTemp("", "generators-")
	if err != nil {
		return nil, err
	}
	l := &lab{options: o, dir: dir, watch: newWatch()}
	if err := l.prepare(ctx); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lab) close() {
	l.watch.close()
	os.RemoveAll(l.dir)
}

func (l *lab) prepare(ctx context.Context) (err error) {
	if l.self, err = os.Executable(); err != nil {
		return err
	}
	if l.peers, err = peersFolder(); err != nil {
		return err
	}
	if l.dyno = l.options.dyno; l.dyno == "" {
		l.dyno = filepath.Join(l.dir, "dyno")
		if output, err := exec.CommandContext(ctx, "go", "build", "-o", l.dyno, "./cmd/dyno").CombinedOutput(); err != nil {
			return fmt.Errorf("building dyno (run this from the repository's root): %w\n%s", err, output)
		}
	}
	help, err := exec.CommandContext(ctx, l.dyno, "load", "--help").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s load --help: %w\n%s", l.dyno, err, help)
	}
	l.dynoHelp = string(help)
	l.certificate = filepath.Join(l.dir, "certificate.pem")
	return writeCertificate(l.certificate)
}

// dynoHas reports whether the dyno under test knows a flag, such as "--pacing".
func (l *lab) dynoHas(flag string) bool {
	for field := range strings.FieldsSeq(l.dynoHelp) {
		if field == flag {
			return true
		}
	}
	return false
}

// dynoTool is the dyno under test on the generators' CPU.
func (l *lab) dynoTool(name string, flags ...string) tool {
	always := []string{"--cpus", strconv.Itoa(l.options.generatorCPU)}
	if l.dynoHas("--no-calibration") {
		// Its second of work before the load is no part of what a request costs.
		always = append(always, "--no-calibration")
	}
	return dynoTool(name, l.dyno, append(always, flags...)...)
}

// choose returns the arms whose tools are here and can do the job, and notes
// what is left out.
func (l *lab) choose(arms []arm, r *record) (have []arm) {
	for _, a := range arms {
		_, can := a.Tool.command(a.Job)
		if _, here := a.Tool.locate(l.peers); !here {
			r.note(a.Tool.Name + ": not installed")
		} else if !can {
			r.note(a.Tool.Name + ": can't do this kind of load")
		} else {
			have = append(have, a)
		}
	}
	return have
}

// writeCertificate makes a certificate for 127.0.0.1 that is its own authority,
// valid for some days.
func writeCertificate(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "generators"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(7 * 24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	return os.WriteFile(path, text, 0o600)
}
