package pods

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server of names for the containers. The image has no file that says how names are looked up, and no library for it
// but libc: that it works is worth a test. It knows addresses of IPv4 and nothing else.

// Name lets containers find an address under a full name.
func (machine *Machine) Name(name, address string) {
	machine.lock.Lock()
	defer machine.lock.Unlock()
	machine.names[name] = address
}

func (machine *Machine) serveNames() error {
	server, err := net.ListenPacket("udp", Gateway+":53")
	if err != nil {
		return err
	}
	go func() {
		query := make([]byte, 512)
		for {
			length, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			if answer, err := machine.answer(query[:length]); err == nil {
				_, _ = server.WriteTo(answer, from)
			}
		}
	}()
	return nil
}

// answer answers a message of RFC 1035: 12 bytes of header, a question, and what else the asker may have put behind it.
func (machine *Machine) answer(query []byte) ([]byte, error) {
	const header, typeA, fixed = 12, 1, 4
	var labels []string
	at := header
	for at < len(query) && query[at] != 0 {
		next := at + 1 + int(query[at])
		if next > len(query) {
			return nil, fmt.Errorf("a label ends behind the message")
		}
		labels = append(labels, string(query[at+1:next]))
		at = next
	}
	end := at + 1 + fixed
	if end > len(query) {
		return nil, fmt.Errorf("no question")
	}
	machine.lock.Lock()
	address, known := machine.names[strings.ToLower(strings.Join(labels, "."))]
	machine.lock.Unlock()

	answer := append([]byte{}, query[:end]...)
	binary.BigEndian.PutUint16(answer[2:], 0x8180) // an answer, and as if asked onwards
	copy(answer[4:], []byte{0, 1, 0, 0, 0, 0, 0, 0})
	switch {
	case !known:
		answer[3] |= 3 // no such name
	case binary.BigEndian.Uint16(query[at+1:]) == typeA:
		answer[7] = 1
		answer = append(answer, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 5, 0, 4)
		answer = append(answer, net.ParseIP(address).To4()...)
	}
	return answer, nil
}

// lookups writes the files that say where a container looks up names, which no image holds: options of the resolver,
// and lines for the table of hosts.
func lookups(t testing.TB, folder, options, hosts string) []Mount {
	t.Helper()
	var mounts []Mount
	for name, text := range map[string]string{
		"resolv.conf": "nameserver " + Gateway + "\n" + options,
		"hosts":       "127.0.0.1 localhost\n::1 localhost\n" + hosts,
	} {
		mount := Mount{From: filepath.Join(folder, name), To: filepath.Join("/etc", name)}
		if err := os.WriteFile(mount.From, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		mounts = append(mounts, mount)
	}
	return mounts
}
