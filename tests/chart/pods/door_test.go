package pods

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// newKey makes a key as whoever installs a door does, and returns it with the file for the Secret.
func newKey(t *testing.T, image *Image) (secret, file string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.json")
	said, wrong := exec.Command(filepath.Join(image.Root, "argosy"), "key", "create", "alice", "--keys", path).Output()
	text, err := os.ReadFile(path)
	if err := errors.Join(wrong, err); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(said)), string(text)
}

// servesHTTP asks the door as the Service leads to it: with the key, and without.
func (fleet *fleet) servesHTTP(t *testing.T) {
	for _, role := range fleet.roles {
		if role.Owner != "argosy-door" {
			continue
		}
		isAnswer(t, asked(t, role.Container, fleet.secret, fleet.stored))
		isFile(t, role.Container, fleet.secret)
		if status, said := post(t, role.Container, "", "1"); status != http.StatusUnauthorized {
			t.Errorf("without a key the door says %d: %s", status, said)
		}
		return
	}
	t.Error("no door runs")
}

// losesKey takes the key back as whoever writes the Secret anew does: a node then leads the volume to another folder.
func (fleet *fleet) losesKey(t *testing.T) {
	for _, role := range fleet.roles {
		if role.Owner != "argosy-door" {
			continue
		}
		n := slices.IndexFunc(role.Spec.Mounts, func(mount Mount) bool { return strings.HasSuffix(mount.To, "/door-keys") })
		if n < 0 {
			t.Fatal("the door has no keys")
		}
		const version = "..2026_01_01_00_01_00.000000002"
		folder := role.Spec.Mounts[n].From
		err := errors.Join(
			os.Mkdir(filepath.Join(folder, version), 0o755),
			os.WriteFile(filepath.Join(folder, version, "keys.json"), []byte(`{"keys": []}`), 0o644),
			os.Symlink(version, filepath.Join(folder, "..data_tmp")),
			os.Rename(filepath.Join(folder, "..data_tmp"), filepath.Join(folder, "..data")),
		)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "a key that was taken back", patience, func() error {
			if status, said := post(t, role.Container, fleet.secret, "1"); status != http.StatusUnauthorized {
				return fmt.Errorf("the door says %d: %s", status, said)
			}
			return nil
		})
		return
	}
	t.Error("no door runs")
}

// asked is what a door answers to the question.
func asked(t *testing.T, door *Container, key, stored string) string {
	t.Helper()
	status, said := post(t, door, key, stored)
	if status != http.StatusOK {
		t.Errorf("the door says %d: %s", status, said)
	}
	return said
}

// isFile checks that the door has the original file of a document.
func isFile(t *testing.T, door *Container, key string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, "http://"+door.Spec.Address+":8080/api/file?source=contracts/lease.md", nil)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	client := http.Client{Timeout: patience}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(text), "ends on 30 June 2031") {
		t.Errorf("the file comes with %d: %s %v", response.StatusCode, text, err)
	}
}

// post asks the question over HTTP.
func post(t *testing.T, door *Container, key, stored string) (status int, said string) {
	t.Helper()
	sequence, err := strconv.Atoi(stored)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"question": question, "min_seq": sequence})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, "http://"+door.Spec.Address+":8080/api/turns", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	client := http.Client{Timeout: patience}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}
