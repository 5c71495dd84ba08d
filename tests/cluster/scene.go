package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"argosy/tests/chart/bed"
	"argosy/tests/chart/render"
)

// release is the name of the fleet and of its namespace.
const release = "argosy"

var ctx = context.Background()

// scene is everything that runs.
type scene struct {
	plane     *bed.Bed
	servers   *servers
	operator  *process
	fleet     *fleet
	watch     *watch
	crew      *processes
	questions []string
}

// raise starts everything: a fleet with documents whose mappers do not run, though the control plane believes they
// do.
func raise(t testing.TB) *scene {
	t.Helper()
	made := &scene{crew: &processes{folder: t.TempDir()}}
	t.Cleanup(made.crew.kill)
	made.servers = startServers(t, made.crew)
	plane, err := bed.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Stop)
	made.plane = plane
	made.operator = startKeda(t, plane, made.crew)

	setUp(t, made.crew.folder)
	made.helm(t, release)
	config := filepath.Join(made.crew.folder, "mapper.toml")
	made.fleet = startFleet(t, made)
	made.fleet.start(t, "mapper", 0)
	// Whoever set up without the chart has made what the chart configures.
	argosy(t, made.crew.folder, "setup", "--check", "--config", config)

	corpus, questions := fixtures(t)
	argosy(t, made.crew.folder, "index", corpus)
	made.questions = questions
	made.watch = startWatch(t, made)
	return made
}

// helm installs or upgrades the chart in a namespace.
func (s *scene) helm(t testing.TB, namespace string, flags ...string) {
	t.Helper()
	if err := s.tryHelm(t, namespace, flags...); err != nil {
		t.Fatal(err)
	}
}

func (s *scene) tryHelm(t testing.TB, namespace string, flags ...string) error {
	args := []string{
		"upgrade", "--install", release, render.Chart(t), "--namespace", namespace, "--create-namespace",
		"--values", "testdata/values.yaml", "--wait", "--timeout", "2m",
	}
	for _, flag := range flags {
		args = append(args, "--set", flag)
	}
	_, err := s.plane.Helm(args...)
	return err
}

// cordon keeps new pods from all nodes, or lets them come again.
func (s *scene) cordon(t testing.TB, word string) {
	t.Helper()
	for n := range bed.Nodes {
		kubectl(t, s.plane, word, fmt.Sprintf("node-%d", n))
	}
}

// take hands out questions that nobody has asked yet: a second answer would come from a cache.
func (s *scene) take(t testing.TB, count int) []string {
	t.Helper()
	if len(s.questions) < count {
		t.Fatalf("no %d questions are left", count)
	}
	taken := s.questions[:count]
	s.questions = s.questions[count:]
	return taken
}
