package chart

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"argosy/tests/chart/render"
)

// graceOverDrain is how much longer Kubernetes waits than for a drain and the scrape after it: the process gives back what it
// has in hand and sends its last spans.
const graceOverDrain = 15 * time.Second

func TestPodsMayDrain(t *testing.T) {
	everySet(t, func(t *testing.T, objects render.Objects) {
		for _, pod := range rolePods(t, objects) {
			options := render.Parse(t, render.Config(t, objects, pod))
			drain, wrong := time.ParseDuration(fmt.Sprint(options.Get("run", "grace")))
			linger, err := time.ParseDuration(fmt.Sprint(options.Get("telemetry", "linger")))
			if wrong != nil || err != nil {
				t.Fatalf("%s: %v, %v", pod.Owner, wrong, err)
			}
			grace := pod.Template.Spec.TerminationGracePeriodSeconds
			if grace == nil || time.Duration(*grace)*time.Second != drain+linger+graceOverDrain {
				t.Errorf("%s: drains for %s, waits for %s, and is killed after %v s", pod.Owner, drain, linger, grace)
			}
		}
	})
}

func TestPodsPassRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	everySet(t, func(t *testing.T, objects render.Objects) {
		for _, pod := range render.Pods(t, objects) {
			spec := pod.Template.Spec
			result := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &pod.Template.ObjectMeta, &spec))
			if !result.Allowed {
				t.Errorf("%s %s: %s", pod.Kind, pod.Owner, result.ForbiddenDetail())
			}
			if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken {
				t.Errorf("%s %s is given a token that it does not need", pod.Kind, pod.Owner)
			}
			for _, container := range spec.Containers {
				if root := container.SecurityContext.ReadOnlyRootFilesystem; root == nil || !*root {
					t.Errorf("%s %s may write into its image", pod.Kind, pod.Owner)
				}
			}
		}
	})
}

var tagged = regexp.MustCompile(`(:[^/:@]+|@sha256:[0-9a-f]{64})$`)

func TestImagesAreNamedForGood(t *testing.T) {
	everySet(t, func(t *testing.T, objects render.Objects) {
		for _, pod := range render.Pods(t, objects) {
			for _, container := range pod.Template.Spec.Containers {
				if !tagged.MatchString(container.Image) || strings.HasSuffix(container.Image, ":latest") {
					t.Errorf("%s %s runs %q", pod.Kind, pod.Owner, container.Image)
				}
			}
		}
	})
}

// Only readiness may look at NATS: a server that is away must not restart the fleet. No pod that starts or works slowly is
// killed before a minute is over.
func TestProbesDoNotRestartAFleetThatWaits(t *testing.T) {
	everySet(t, func(t *testing.T, objects render.Objects) {
		for _, pod := range ownPods(t, objects) {
			container := pod.Template.Spec.Containers[0]
			for name, probe := range map[string]*corev1.Probe{
				"/livez": container.LivenessProbe, "/readyz": container.ReadinessProbe,
			} {
				if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != name {
					t.Errorf("%s: the probe of %s is %v", pod.Owner, name, probe)
				}
			}
			start := container.StartupProbe
			if start == nil || start.HTTPGet == nil || start.HTTPGet.Path != "/livez" {
				t.Errorf("%s: the startup probe is %v", pod.Owner, start)
			} else if start.PeriodSeconds*start.FailureThreshold < 60 {
				t.Errorf("%s: has less than a minute to start", pod.Owner)
			}
			if listen := render.Parse(t, render.Config(t, objects, pod)).Get("telemetry", "listen"); listen != "[::]:9464" {
				t.Errorf("%s: serves at %v, and is probed at the port 9464", pod.Owner, listen)
			}
		}
	})
}

// TestNoSecretStandsInTheOpen looks at what anybody may read who may read ConfigMaps and pods.
func TestNoSecretStandsInTheOpen(t *testing.T) {
	everySet(t, func(t *testing.T, objects render.Objects) {
		if made := objects.Kind("Secret"); len(made) > 0 {
			t.Errorf("the chart makes Secrets, whose values are in the release: %v", made)
		}
		for _, pod := range render.Pods(t, objects) {
			spec := pod.Template.Spec
			for _, container := range spec.Containers {
				lookOpen(t, pod.Owner+" args", strings.Join(append(container.Command, container.Args...), " "))
				for _, env := range container.Env {
					lookOpen(t, pod.Owner+" env "+env.Name, env.Name+" = "+env.Value)
				}
			}
			if pod.Role == "nats" {
				continue
			}
			config := render.Config(t, objects, pod)
			lookOpen(t, pod.Owner, config)
			mounted := secretFiles(spec)
			for _, file := range regexp.MustCompile(`/etc/argosy/secrets/[^"]+`).FindAllString(config, -1) {
				if !slices.ContainsFunc(mounted, func(folder string) bool { return strings.HasPrefix(file, folder+"/") }) {
					t.Errorf("%s reads %s, and mounts %v", pod.Owner, file, mounted)
				}
			}
		}
	})
}

var open = regexp.MustCompile(`(?i)(api_key|password|token|authorization)\s*=\s*"?[^"\s]|://[^/@\s"]+@`)

func lookOpen(t *testing.T, where, text string) {
	t.Helper()
	if found := open.FindString(text); found != "" {
		t.Errorf("%s: says %q", where, found)
	}
}

// secretFiles are the folders in which a pod finds secrets.
func secretFiles(spec corev1.PodSpec) []string {
	var folders []string
	for _, volume := range spec.Volumes {
		for _, mount := range spec.Containers[0].VolumeMounts {
			if volume.Secret != nil && volume.Name == mount.Name {
				folders = append(folders, mount.MountPath)
			}
		}
	}
	return folders
}

// What rolls: for a change of values, the roles whose pods become others.
var rolls = []struct {
	what, set, flag string
	roles           []string
}{
	{"an option of one role", "smallest", "config.reducer.max_tokens=99", []string{"reducer"}},
	{"a setting of one role", "smallest", "roles.mapper.config.mapper.max_tokens=99", []string{"mapper"}},
	{"the slots of one role", "smallest", "roles.planner.slots=3", []string{"planner"}},
	{"a prompt", "prompts", `prompts.planner\.md=Plan.`, render.Asking()},
	{"a schema", "prompts", `schemas.more\.toml=more`, []string{"indexer", "retriever"}},
	{"a schema of a fleet with a door", "door", `schemas.more\.toml=more`, []string{door, "indexer", "retriever"}},
	{"how files are read", "door", "config.indexer.ocr=tesseract", []string{door, "indexer"}},
	{"how the indexers alone read", "door", "roles.indexer.config.indexer.batch=8", []string{"indexer"}},
	{"a model's name", "smallest", "model.model=other", render.Without(render.Asking(), "validator")},
	{"the search", "qdrant", "config.retrieval.http.batch=8", []string{"indexer", "retriever"}},
	{"whether there are conversations", "smallest", "roles.conversation.enabled=false", []string{"conversation", "gateway"}},
	{"how often metrics are read", "readers", "monitoring.podMonitor.interval=10s", nil},
	{"how many pods there are", "smallest", "roles.mapper.replicas=5", nil},
	{"the streams", "smallest", "config.streams.ack_wait=30s", roles},
	{"the streams of a fleet with a door", "door", "config.streams.ack_wait=30s", append([]string{door}, roles...)},
	{"the steps of a fleet with a door", "door", "config.run.step_timeout=90s", roles},
	{"an option of the door", "door", "config.door.wait=1m", []string{door}},
	{"such an option of the door alone", "door", "door.config.door.streams=9", []string{door}},
	{"who may ask the door", "door", "door.keys.existingSecret.name=other", []string{door}},
	{"who is told of turns", "door", "door.webhooks.existingSecret.name=other", []string{door}},
	{"where its files are", "door", "door.files.volume.persistentVolumeClaim.claimName=papers", []string{door}},
	{"the address of the door", "door", "door.service.port=81", nil},
}

func TestAChangeRollsTheRolesConcerned(t *testing.T) {
	for _, change := range rolls {
		t.Run(change.what, func(t *testing.T) {
			before := templates(t, render.Set(t, change.set))
			after := templates(t, render.With(t, change.set, change.flag))
			var rolled []string
			for _, role := range slices.Sorted(maps.Keys(before)) {
				if !reflect.DeepEqual(before[role], after[role]) {
					rolled = append(rolled, role)
				}
			}
			if wanted := slices.Sorted(slices.Values(change.roles)); !slices.Equal(rolled, wanted) {
				t.Errorf("%s rolls %v, and should roll %v", change.flag, rolled, wanted)
			}
		})
	}
}

// Another version of the chart alone rolls nobody: it stands in labels of objects and in none of a pod.
func TestAnotherVersionOfTheChartRollsNobody(t *testing.T) {
	later := t.TempDir()
	if err := os.CopyFS(later, os.DirFS(render.Chart(t))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(later, "Chart.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?m)^version: .*`).ReplaceAll(text, []byte("version: 99.0.0+build"))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	rendered, err := render.TextOf(t, later, "--values", render.Values(t, "production"))
	if err != nil {
		t.Fatal(err)
	}
	objects := render.Read(t, rendered)
	if label := objects[0].Labels["helm.sh/chart"]; label != "argosy-99.0.0_build" {
		t.Errorf("the chart is labelled %q", label)
	}
	if !reflect.DeepEqual(templates(t, render.Set(t, "production")), templates(t, objects)) {
		t.Error("pods are others")
	}
}

// templates are the pods of Argosy, which are replaced when anything in them changes.
func templates(t *testing.T, objects render.Objects) map[string]corev1.PodTemplateSpec {
	t.Helper()
	found := map[string]corev1.PodTemplateSpec{}
	for _, pod := range ownPods(t, objects) {
		found[pod.Role] = pod.Template
	}
	return found
}
