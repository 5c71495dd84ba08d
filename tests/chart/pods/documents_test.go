package pods

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// question is asked of every fleet here, after it has taken in what documents makes.
const question = "When does the lease of the warehouse end?"

// documents makes a folder of two documents.
func documents(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "documents")
	contracts := filepath.Join(folder, "contracts")
	write := func(name, text string) error {
		return os.WriteFile(filepath.Join(contracts, name), []byte(text), 0o644)
	}
	err := errors.Join(
		os.MkdirAll(contracts, 0o755),
		write("lease.md", "# Lease\n\nThe lease of the warehouse in Kiel ends on 30 June 2031. The rent is 4,200 euros.\n"),
		write("cleaning.md", "# Cleaning\n\nThe windows of the warehouse are cleaned every second Tuesday.\n"),
	)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// withTickets puts records beside the documents whose text is where a schema alone says.
func withTickets(t *testing.T, folder string) string {
	t.Helper()
	tickets := filepath.Join(folder, "tickets")
	record := `{"key": "T-1", "payload": {"complaint": "The gate of the yard in Husum does not close."}}` + "\n"
	err := errors.Join(
		os.Mkdir(tickets, 0o755),
		os.WriteFile(filepath.Join(tickets, "a.jsonl"), []byte(record), 0o644),
	)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// isAnswer checks what `argosy ask` says to the question.
func isAnswer(t *testing.T, said string) {
	t.Helper()
	for _, words := range []string{"30 June 2031", "contracts/lease.md"} {
		if !strings.Contains(said, words) {
			t.Errorf("the answer does not say %q:\n%s", words, said)
		}
	}
}

// sequence is the number in what `argosy index` says with which a question waits for the documents.
func sequence(t *testing.T, said string) string {
	t.Helper()
	found := regexp.MustCompile(`--min-seq (\d+)`).FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("no --min-seq is said:\n%s", said)
	}
	return found[1]
}

// ends tells a process to stop and checks that it does so by itself.
func ends(t *testing.T, container *Container, grace time.Duration) {
	t.Helper()
	began := time.Now()
	if container.Stop(grace) {
		t.Errorf("%s was killed after its grace of %s", container.Name, grace)
	} else if container.Code() != 0 {
		t.Errorf("%s ended with %d:\n%s", container.Name, container.Code(), tail(container.Log()))
	}
	t.Logf("%5.1f s  %s ended", time.Since(began).Seconds(), container.Name)
}
