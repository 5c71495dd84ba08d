package pods

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"argosy/tests/chart/tools"
)

// Server is a nats-server with the configuration of the compose file. It can be ended and started again.
type Server struct {
	// Address is its own on the machine.
	Address string
	// Authority is the certificate that clients need, and empty where they connect without TLS.
	Authority string

	folder  string
	flags   []string
	process *exec.Cmd
}

// NewServer starts a server that containers find under a name; with TLS for that name where that is wanted.
func NewServer(t testing.TB, machine *Machine, name, host string, withTLS bool) *Server {
	t.Helper()
	server := &Server{folder: t.TempDir(), Address: fmt.Sprintf("10.88.0.%d", 1+machine.number())}
	if err := ip("addr add " + server.Address + "/16 dev pods"); err != nil {
		t.Fatal(err)
	}
	machine.Name(name, server.Address)
	server.flags = []string{"--config", server.configuration(t), "--addr", server.Address}
	if withTLS {
		var err error
		if server.Authority, err = certify(server.folder, host); err != nil {
			t.Fatal(err)
		}
		server.flags = append(server.flags, "--tls", "--tlscert", filepath.Join(server.folder, "server.pem"),
			"--tlskey", filepath.Join(server.folder, "server.key"))
	}
	t.Cleanup(func() {
		server.Kill()
		if log, err := os.ReadFile(filepath.Join(server.folder, "log")); t.Failed() && err == nil {
			t.Logf("the log of nats-server:\n%s", tail(string(log)))
		}
	})
	server.Start(t)
	return server
}

// configuration is that of the compose file with a folder of this machine.
func (server *Server) configuration(t testing.TB) string {
	t.Helper()
	repository, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(repository, "deploy/nats/single.conf"))
	if err != nil {
		t.Fatal(err)
	}
	const there = "store_dir: /data\n"
	if strings.Count(string(text), there) != 1 {
		t.Fatalf("single.conf does not say once %q", there)
	}
	here := fmt.Sprintf("store_dir: %q\n", filepath.Join(server.folder, "store"))
	path := filepath.Join(server.folder, "nats.conf")
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), there, here, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Start starts it, with all that it has stored, and waits until it answers.
func (server *Server) Start(t testing.TB) {
	t.Helper()
	binary, err := findServer()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.OpenFile(filepath.Join(server.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	server.process = exec.Command(binary, server.flags...)
	server.process.Stdout, server.process.Stderr = log, log
	if err := server.process.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "nats-server", 20*time.Second, func() error { _, err := server.Ask("healthz"); return err })
}

// Kill ends it at once, as a machine that loses its power does.
func (server *Server) Kill() {
	if server.process != nil {
		_ = server.process.Process.Kill()
		_ = server.process.Wait()
		server.process = nil
	}
}

// Ask asks its monitoring endpoint.
func (server *Server) Ask(path string) (string, error) {
	client := http.Client{Timeout: 2 * time.Second}
	response, err := client.Get("http://" + server.Address + ":8222/" + path)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, response.Status, body)
	}
	return string(body), err
}

// findServer looks where the other tests do, which fetch it when it is nowhere.
func findServer() (string, error) {
	if named := os.Getenv("ARGOSY_NATS_SERVER"); named != "" {
		return named, nil
	}
	if found, err := exec.LookPath("nats-server"); err == nil {
		return found, nil
	}
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(os.Getenv("HOME"), ".cache")
	}
	found, _ := filepath.Glob(filepath.Join(cache, "argosy/nats-server-*"))
	if len(found) == 0 {
		return "", errors.New("no nats-server: put one on the PATH, name it in ARGOSY_NATS_SERVER, or run " +
			"`cargo test -p argosy-tests --test pipeline`, which fetches it")
	}
	return found[len(found)-1], nil
}

// certify writes a certificate for a host, and returns that of the authority which signed it.
func certify(folder, host string) (string, error) {
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	authorityKey, errA := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	serverKey, errB := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err := errors.Join(errA, errB); err != nil {
		return "", err
	}
	signedA, errA := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	signedB, errB := x509.CreateCertificate(rand.Reader, server, authority, serverKey.Public(), authorityKey)
	key, errC := x509.MarshalPKCS8PrivateKey(serverKey)
	text := func(kind string, der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}) }
	err := errors.Join(errA, errB, errC,
		os.WriteFile(filepath.Join(folder, "server.pem"), text("CERTIFICATE", signedB), 0o644),
		os.WriteFile(filepath.Join(folder, "server.key"), text("PRIVATE KEY", key), 0o600))
	return string(text("CERTIFICATE", signedA)), err
}

// eventually asks until there is no error, and fails with the last one when that takes too long.
func eventually(t testing.TB, what string, patience time.Duration, ask func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %s: %v", what, patience, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
