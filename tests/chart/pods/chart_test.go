package pods

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"argosy/tests/chart/render"
)

// patience is how long something may take that takes a second or two on a machine with nothing else to do.
const patience = 40 * time.Second

// fleet is what the chart renders, as pods that run.
type fleet struct {
	Kubelet
	nats *Server
	// roles run until they are told to stop; the door is among them.
	roles []*Pod
	// witness is a pod that a node would restart when NATS is away, because its liveness probe asks what readiness asks.
	witness *Pod
	// secret is a key for the door, and keys the file that it is in.
	secret, keys string
	// stored is the number by which a question says which documents it waits for.
	stored string
}

// A fleet's life in one go, as each step needs the ones before it.
func TestPodsOfTheChart(t *testing.T) {
	t.Parallel()
	fleet := newFleet(t)
	for _, step := range []struct {
		name string
		take func(*testing.T)
	}{
		{"setup makes the streams", fleet.setsUp},
		{"every role becomes ready", fleet.becomesReady},
		{"no process has rights, or can write into its image", fleet.hasNoRights},
		{"setup --check sees what differs", fleet.checksStreams},
		{"helm test passes on an empty corpus", fleet.passesHelmTest},
		{"documents are indexed", fleet.takesDocuments},
		{"helm test passes", fleet.passesHelmTest},
		{"a question is answered", fleet.answers},
		{"the door answers who has a key", fleet.servesHTTP},
		{"no process is restarted while NATS is away", fleet.outlivesServer},
		{"a question is answered once it is back", fleet.answers},
		{"the door answers once it is back", fleet.servesHTTP},
		{"a key that was taken back is refused", fleet.losesKey},
		{"every role ends within its grace", fleet.ends},
	} {
		began := time.Now()
		step.take(t)
		t.Logf("%5.1f s  %s", time.Since(began).Seconds(), step.name)
	}
}

func newFleet(t *testing.T) *fleet {
	fleet := &fleet{nats: NewServer(t, machine, "nats.nats.svc.cluster.local", "nats.nats.svc", true)}
	fleet.Kubelet = Kubelet{Machine: machine, Image: image(t), Claims: map[string]string{"papers": withTickets(t, documents(t))}}
	fleet.secret, fleet.keys = newKey(t, fleet.Image)
	fleet.Objects = fleet.render(t)
	return fleet
}

// render renders the values of this folder, and puts beside them what whoever installs the chart has made before.
func (fleet *fleet) render(t *testing.T, flags ...string) render.Objects {
	t.Helper()
	objects := render.With(t, "../pods/values", flags...)
	for _, made := range []map[string]any{
		{
			"kind": "Secret", "metadata": map[string]any{"name": "nats-tls"},
			"stringData": map[string]any{"ca.crt": fleet.nats.Authority},
		},
		{
			"kind": "Secret", "metadata": map[string]any{"name": "door-keys"},
			"stringData": map[string]any{"keys.json": fleet.keys},
		},
		{
			"kind": "ConfigMap", "metadata": map[string]any{"name": "fleet"},
			"data": map[string]any{"log_level": "info"},
		},
	} {
		text, err := yaml.Marshal(made)
		object := render.Object{Text: string(text)}
		if err := errors.Join(err, yaml.Unmarshal(text, &object)); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	return objects
}

// pod is the only rendered pod with a role, or of a job.
func pod(t *testing.T, objects render.Objects, role string) render.Pod {
	t.Helper()
	for _, pod := range render.Pods(t, objects) {
		if pod.Role == role {
			return pod
		}
	}
	t.Fatalf("no pod of %s is rendered", role)
	return render.Pod{}
}

// finish runs a pod to its end and checks how it ended.
func (fleet *fleet) finish(t *testing.T, pod render.Pod, code int) *Pod {
	t.Helper()
	running := fleet.Start(t, pod)
	if ended := running.Finish(t, patience); ended != code {
		t.Errorf("%s ended with %d and not %d:\n%s", pod.Owner, ended, code, tail(running.Log()))
	}
	return running
}

// setsUp runs the job before the roles, and looks at what it made where NATS keeps it.
func (fleet *fleet) setsUp(t *testing.T) {
	fleet.finish(t, pod(t, fleet.Objects, "setup"), 0)
	streams := fleet.streams(t)
	for _, stream := range []string{"ARGOSY_INBOX", "ARGOSY_STEPS_0", "ARGOSY_DOCUMENTS"} {
		if !slices.Contains(streams, stream) {
			t.Errorf("setup made %s and no %s", streams, stream)
		}
	}
}

func (fleet *fleet) streams(t *testing.T) []string {
	t.Helper()
	var found struct {
		Accounts []struct {
			Streams []struct {
				Name string `json:"name"`
			} `json:"stream_detail"`
		} `json:"account_details"`
	}
	text, err := fleet.nats.Ask("jsz?streams=1")
	if err := errors.Join(err, json.Unmarshal([]byte(text), &found)); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, account := range found.Accounts {
		for _, stream := range account.Streams {
			names = append(names, stream.Name)
		}
	}
	return names
}

func (fleet *fleet) becomesReady(t *testing.T) {
	began := time.Now()
	for _, role := range render.Workloads(t, fleet.Objects) {
		fleet.roles = append(fleet.roles, fleet.Start(t, role))
	}
	if wanted := len(render.Roles()) + 1; len(fleet.roles) != wanted {
		t.Fatalf("the chart renders %d roles and doors, and not %d", len(fleet.roles), wanted)
	}
	dependent := pod(t, fleet.Objects, "planner")
	container := &dependent.Template.Spec.Containers[0]
	container.LivenessProbe.HTTPGet.Path = container.ReadinessProbe.HTTPGet.Path
	fleet.witness = fleet.Start(t, dependent)
	fleet.allReady(t)
	t.Logf("ready after %.1f s", time.Since(began).Seconds())
}

// allReady waits until the probes of every role say so.
func (fleet *fleet) allReady(t *testing.T) {
	t.Helper()
	for _, role := range fleet.roles {
		eventually(t, "readiness", patience, func() error {
			if role.Ended() || role.Doomed() != "" {
				t.Fatalf("%s\n%s", role.State(), tail(role.Log()))
			}
			return unless(role.Ready(), role)
		})
	}
}

// hasNoRights looks at the processes from outside. What root cannot write, nobody in the container can.
func (fleet *fleet) hasNoRights(t *testing.T) {
	wanted := map[string]string{
		"Uid": "65532\t65532\t65532\t65532", "Gid": "65532\t65532\t65532\t65532", "Groups": "65532", "NoNewPrivs": "1",
	}
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"} {
		wanted[set] = strings.Repeat("0", 16)
	}
	for _, role := range fleet.roles {
		process := filepath.Join("/proc", fmt.Sprint(role.Pid()))
		status, err := os.ReadFile(filepath.Join(process, "status"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(status)) {
			key, value, _ := strings.Cut(line, ":")
			if right, asked := wanted[key]; asked && strings.TrimSpace(value) != right {
				t.Errorf("%s: %s is %q and not %q", role.Owner, key, strings.TrimSpace(value), right)
			}
		}
		for _, folder := range []string{"", "/etc", "/etc/argosy", "/dev"} {
			err := os.Mkdir(filepath.Join(process, "root", folder, "written"), 0o755)
			if !errors.Is(err, syscall.EROFS) {
				t.Errorf("%s: a folder in %s/: %v", role.Owner, folder, err)
			}
		}
		if err := os.WriteFile(filepath.Join(process, "root/tmp/written"), nil, 0o644); err != nil {
			t.Errorf("%s cannot write where it must: %v", role.Owner, err)
		}
	}
}

// checksStreams runs setup as a check: against values that agree with what is there, against others, and with a mistake in
// what only a role reads.
func (fleet *fleet) checksStreams(t *testing.T) {
	same := *fleet
	same.Objects = fleet.render(t, "setup.action=check")
	same.finish(t, pod(t, same.Objects, "setup"), 0)
	other := *fleet
	other.Objects = fleet.render(t, "setup.action=check", "config.streams.max_ack_pending=2048")
	log := other.finish(t, pod(t, other.Objects, "setup"), 1).Log()
	for _, word := range []string{"max_ack_pending", "2048", "differ"} {
		if !strings.Contains(log, word) {
			t.Errorf("the log of the check does not say %q:\n%s", word, log)
		}
	}
	wrong := *fleet
	wrong.Objects = fleet.render(t, "config.reducer.max_tokns=9")
	if log := wrong.finish(t, pod(t, wrong.Objects, "setup"), 2).Log(); !strings.Contains(log, "reducer.max_tokns") {
		t.Errorf("set-up does not say what is wrong in the configuration:\n%s", log)
	}
}

func (fleet *fleet) passesHelmTest(t *testing.T) {
	fleet.finish(t, pod(t, fleet.Objects, "test"), 0)
}

func (fleet *fleet) takesDocuments(t *testing.T) {
	said := fleet.finish(t, pod(t, fleet.Objects, "documents"), 0).Log()
	if !strings.Contains(said, "3 documents indexed") || strings.Contains(said, "a.jsonl") {
		t.Errorf("the pod of the documents says:\n%s", said)
	}
	fleet.stored = sequence(t, said)
}

// answers asks from a pod like that of `helm test`, with a question of ours.
func (fleet *fleet) answers(t *testing.T) {
	asking := pod(t, fleet.Objects, "test")
	container := &asking.Template.Spec.Containers[0]
	container.Args = []string{"ask", question, "--min-seq", fleet.stored, "--config", render.ConfigFile}
	said := fleet.finish(t, asking, 0).Log()
	isAnswer(t, said)
}

// outlivesServer takes NATS away for as long as it takes a node to restart the witness, and any other pod that depends
// on NATS. Meanwhile a retriever starts.
func (fleet *fleet) outlivesServer(t *testing.T) {
	eventually(t, "the witness", patience, func() error { return unless(fleet.witness.Ready(), fleet.witness) })
	fleet.nats.Kill()
	fleet.roles = append(fleet.roles, fleet.Start(t, pod(t, fleet.Objects, "retriever")))
	enough := map[*Pod]int{}
	for _, role := range fleet.roles {
		enough[role] = role.Checked() + role.Endures
	}
	eventually(t, "the restart of the witness", patience, func() error {
		return unless(fleet.witness.Doomed() != "", fleet.witness)
	})
	for role, times := range enough {
		eventually(t, "probes without NATS", patience, func() error { return unless(role.Checked() >= times, role) })
		if role.Ended() || role.Doomed() != "" || !role.Started() || role.Ready() {
			t.Errorf("without NATS %s\n%s", role.State(), tail(role.Log()))
		}
	}
	fleet.nats.Start(t)
	fleet.allReady(t)
	fleet.roles = append(fleet.roles, fleet.witness)
}

// unless is how a pod is when it is not as it should be.
func unless(right bool, pod *Pod) error {
	if right {
		return nil
	}
	return errors.New(pod.State())
}

// ends tells all roles at once to stop.
func (fleet *fleet) ends(t *testing.T) {
	var all sync.WaitGroup
	for _, role := range fleet.roles {
		all.Go(func() { ends(t, role.Container, role.Grace-role.Waits) })
	}
	all.Wait()
}
