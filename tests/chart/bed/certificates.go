package bed

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// pair is a key with its certificate.
type pair struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// writeCertificates writes an authority, the API server's certificate, that of the front proxy, and the key that signs tokens
// of service accounts.
func writeCertificates(folder string) error {
	authority, err := sign(folder, "ca", nil)
	if err != nil {
		return err
	}
	for _, name := range []string{"apiserver", "proxy"} {
		if _, err := sign(folder, name, authority); err != nil {
			return err
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	if err := writePEM(folder, "sa.pub", "PUBLIC KEY", public); err != nil {
		return err
	}
	return writeKey(folder, "sa.key", key)
}

// sign writes NAME.crt and NAME.key. Without an issuer it is an authority.
func sign(folder, name string, issuer *pair) (*pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		// The API server lets in a front proxy of this name alone.
		Subject:     pkix.Name{CommonName: map[string]string{"proxy": "front-proxy"}[name]},
		NotBefore:   time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(24 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1)},
		DNSNames:    []string{"localhost", "kubernetes.default.svc"},
	}
	if template.Subject.CommonName == "" {
		template.Subject.CommonName = name
	}
	if issuer == nil {
		template.IsCA, template.BasicConstraintsValid = true, true
		issuer = &pair{certificate: template, key: key}
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, issuer.certificate, key.Public(), issuer.key)
	if err != nil {
		return nil, err
	}
	if err := writePEM(folder, name+".crt", "CERTIFICATE", signed); err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(signed)
	if err != nil {
		return nil, err
	}
	return &pair{certificate: certificate, key: key}, writeKey(folder, name+".key", key)
}

func writeKey(folder, name string, key crypto.PrivateKey) error {
	bytes, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(folder, name, "PRIVATE KEY", bytes)
}

func writePEM(folder, name, kind string, bytes []byte) error {
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes})
	return os.WriteFile(filepath.Join(folder, name), text, 0o600)
}
