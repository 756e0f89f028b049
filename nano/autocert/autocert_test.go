package autocert

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"testing"
)

func TestNew(t *testing.T) {
	for name, config := range map[string]Config{
		"no hosts":      {Folder: "certs"},
		"an empty host": {Hosts: []string{""}, Folder: "certs"},
		"no folder":     {Hosts: []string{"shop.example"}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			New(config)
		}()
	}
}

// TestOnlyForItsHosts: nobody makes the server ask for other names, so nothing is asked
// of the authority, which is nowhere.
func TestOnlyForItsHosts(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "certs")
	config := New(Config{Hosts: []string{"shop.example"}, Folder: folder, Directory: "http://127.0.0.1:1/directory"})
	if config.MinVersion != tls.VersionTLS12 {
		t.Errorf("from TLS version %#x", config.MinVersion)
	}
	for _, name := range []string{"", "evil.example", "sub.shop.example", "192.0.2.1"} {
		if _, err := config.GetCertificate(&tls.ClientHelloInfo{ServerName: name}); err == nil {
			t.Errorf("a certificate for %q", name)
		}
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("something was kept for a host that isn't ours")
	}
}
