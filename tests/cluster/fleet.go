package cluster

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"argosy/tests/chart/render"
	"argosy/tests/chart/tools"
)

// binary is the environment variable that names the program of the fleet.
const binary = "ARGOSY_BIN"

// What the roles listen at for metrics and health, from this port on.
const firstPort = 9500

// fleet is what would be in the pods, as processes with the configuration that the chart made for them.
type fleet struct {
	stage  *scene
	model  *process
	roles  map[string][]*process
	ports  map[string]int
	number int
}

// setUp makes streams and consumers, as the chart's job does before any role.
func setUp(t testing.TB, folder string) {
	t.Helper()
	argosy(t, folder, "setup", "--set", "streams.replicas=3")
}

// argosy runs a command of the fleet's program, and hands out what it says.
func argosy(t testing.TB, folder string, args ...string) string {
	t.Helper()
	command := exec.Command(os.Getenv(binary), args...)
	command.Dir, command.Env = folder, append(os.Environ(), "ARGOSY__nats__url="+natsURLs())
	said, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("argosy %s: %v: %s", strings.Join(args, " "), err, said)
	}
	return string(said)
}

// startFleet starts the model's stand-in and every role but the mapper, two as the chart has them: one process is
// enough.
func startFleet(t testing.TB, stage *scene) *fleet {
	t.Helper()
	made := &fleet{stage: stage, roles: map[string][]*process{}, ports: map[string]int{}}
	made.model = stage.crew.start(t, "model", nil, os.Getenv(binary), "offline-model", "--slots", "256")
	for _, role := range render.Without(render.Roles(), "mapper", "conversation") {
		made.start(t, role, 1)
	}
	for role := range made.roles {
		made.ready(t, role)
	}
	return made
}

// start starts processes of a role with what the chart's ConfigMap says.
func (f *fleet) start(t testing.TB, role string, count int) {
	t.Helper()
	config := filepath.Join(f.stage.crew.folder, role+".toml")
	if err := os.WriteFile(config, []byte(f.stage.configuration(t, role)), 0o600); err != nil {
		t.Fatal(err)
	}
	for range count {
		name := fmt.Sprintf("%s-%d", role, f.number)
		f.ports[name] = firstPort + f.number
		f.number++
		f.roles[role] = append(f.roles[role], f.stage.crew.start(t, name, []string{"ARGOSY__nats__url=" + natsURLs()},
			os.Getenv(binary), "run", role, "--config", config, "--set", "data_dir="+filepath.Join(f.stage.crew.folder, name),
			"--set", fmt.Sprintf("telemetry.listen=127.0.0.1:%d", f.ports[name])))
	}
}

// ready waits until all processes of a role take work.
func (f *fleet) ready(t testing.TB, role string) {
	t.Helper()
	for _, process := range f.roles[role] {
		within(t, 60*time.Second, process.name, answers(process, f.url(process)+"/readyz"))
	}
}

func (f *fleet) url(process *process) string {
	return fmt.Sprintf("http://127.0.0.1:%d", f.ports[process.name])
}

// stop drains all processes of a role.
func (f *fleet) stop(t testing.TB, role string) {
	t.Helper()
	for _, process := range f.roles[role] {
		process.signal(t, syscall.SIGTERM)
	}
	for _, process := range f.roles[role] {
		within(t, 45*time.Second, "the end of "+process.name, func() error {
			if process.runs() == nil {
				return fmt.Errorf("it runs:\n%s", process.tail())
			}
			return nil
		})
	}
	f.roles[role] = nil
}

// configuration is the argosy.toml that the chart made for a role.
func (s *scene) configuration(t testing.TB, role string) string {
	t.Helper()
	found, err := s.plane.Client.CoreV1().ConfigMaps(release).Get(ctx, "argosy-"+role, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return found.Data["argosy.toml"]
}

// fixtures are documents, and questions that they answer.
func fixtures(t testing.TB) (corpus string, questions []string) {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(root, "tests/fixtures/questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var one struct{ Question, Kind string }
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		if one.Kind == "fact" {
			questions = append(questions, one.Question)
		}
	}
	return filepath.Join(root, "tests/fixtures/corpus"), questions
}
