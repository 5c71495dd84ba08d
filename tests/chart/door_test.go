package chart

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	"argosy/tests/chart/render"
)

// door is the word for a process that serves HTTP; it takes no steps, and so it is none of the roles.
const door = "door"

// doors are the sets with a door.
var doors = []string{"door", "door-open", "door-oidc"}

func everyDoor(t *testing.T, check func(t *testing.T, objects render.Objects, pod render.Pod)) {
	for _, set := range doors {
		t.Run(set, func(t *testing.T) {
			objects := render.Set(t, set)
			pods := slices.DeleteFunc(render.Workloads(t, objects), func(pod render.Pod) bool { return pod.Role != door })
			if len(pods) != 1 {
				t.Fatalf("%d doors are rendered", len(pods))
			}
			check(t, objects, pods[0])
		})
	}
}

func TestThereIsNoDoorUnlessItIsWanted(t *testing.T) {
	everySet(t, func(t *testing.T, objects render.Objects) {
		wanted := slices.Contains(doors, strings.TrimPrefix(t.Name(), "TestThereIsNoDoorUnlessItIsWanted/"))
		found := slices.ContainsFunc(objects, func(object render.Object) bool { return object.Labels[render.Component] == door })
		if found != wanted {
			t.Errorf("whether there is a door is %v", found)
		}
	})
}

// From the Service to the address in the configuration, all mean one port; probes and scrapes have the other one.
func TestTheServiceLeadsToWhereTheDoorListens(t *testing.T) {
	everyDoor(t, func(t *testing.T, objects render.Objects, pod render.Pod) {
		container := pod.Template.Spec.Containers[0]
		if wanted := []string{"serve", "--config", render.ConfigFile}; !slices.Equal(container.Args, wanted) {
			t.Errorf("the door runs %v", container.Args)
		}
		service := render.Get[corev1.Service](t, objects, "Service", pod.Owner)
		if len(service.Spec.Ports) != 1 {
			t.Fatalf("the Service has the ports %v", service.Spec.Ports)
		}
		target := service.Spec.Ports[0].TargetPort.StrVal
		n := slices.IndexFunc(container.Ports, func(port corev1.ContainerPort) bool { return port.Name == target })
		if n < 0 {
			t.Fatalf("the Service leads to %q, and the ports are %v", target, container.Ports)
		}
		port := strconv.Itoa(int(container.Ports[n].ContainerPort))
		listen := fmt.Sprint(render.Parse(t, render.Config(t, objects, pod)).Get(door, "listen"))
		if !strings.HasSuffix(listen, ":"+port) || strings.HasPrefix(listen, "127.") {
			t.Errorf("the Service leads to the port %s, and the door listens at %s", port, listen)
		}
		policy := render.Get[networkingv1.NetworkPolicy](t, objects, "NetworkPolicy", pod.Owner).Spec
		rules := policy.Ingress
		if !slices.Equal(policy.PolicyTypes, []networkingv1.PolicyType{"Ingress"}) || len(rules) != 1 ||
			len(rules[0].Ports) != 1 || rules[0].Ports[0].Port.String() != port {
			t.Errorf("the door is reached by %+v", policy)
		}
	})
}

func TestWhoReachesTheDoor(t *testing.T) {
	for set, peers := range map[string]int{"door": 1, "door-open": 0} {
		policy := render.Get[networkingv1.NetworkPolicy](t, render.Set(t, set), "NetworkPolicy", "argosy-door")
		if from := policy.Spec.Ingress[0].From; len(from) != peers {
			t.Errorf("%s: the door is reached by %v", set, from)
		}
	}
}

// Nobody else reads the section, and who does not mount the keys does not name them.
func TestTheSectionOfTheDoorReachesItAlone(t *testing.T) {
	everyDoor(t, func(t *testing.T, objects render.Objects, _ render.Pod) {
		for _, pod := range render.Pods(t, objects) {
			if pod.Role == "nats" {
				continue
			}
			section, _ := render.Parse(t, render.Config(t, objects, pod)).Get(door).(map[string]any)
			// Set-up, as a hook, checks what all others read.
			isWanted := pod.Role == door || pod.Role == "setup" && pod.Owner == "argosy-setup"
			if (len(section) > 0) != isWanted {
				t.Errorf("%s %s has the section %v", pod.Kind, pod.Owner, section)
			}
			hasKeys := pod.Role == door && section["open"] != true && section["oidc"] == nil
			if _, named := section["keys"]; named != hasKeys {
				t.Errorf("%s %s: whether it names keys is %v", pod.Kind, pod.Owner, named)
			}
		}
	})
}

// The files are where the configuration says, for one tenant or for all of the volume, and doors change nothing there. Without a
// volume there are none, and no other pod sees them.
func TestTheFilesOfADoor(t *testing.T) {
	claim := "door.files.volume.persistentVolumeClaim.claimName=papers"
	for folder, objects := range map[string]render.Objects{
		"":            render.With(t, "door"),
		"/files":      render.Set(t, "door-oidc"),
		"/files/acme": render.With(t, "door-open", claim, "door.files.tenant=acme"),
	} {
		for _, pod := range render.Workloads(t, objects) {
			files := func(volume corev1.Volume) bool { return volume.Name == "files" }
			mounted := func(mount corev1.VolumeMount) bool { return mount.Name == "files" }
			mounts := pod.Template.Spec.Containers[0].VolumeMounts
			volume, mount := slices.IndexFunc(pod.Template.Spec.Volumes, files), slices.IndexFunc(mounts, mounted)
			if pod.Role != door || folder == "" {
				if volume >= 0 || mount >= 0 {
					t.Errorf("%s mounts files", pod.Owner)
				}
				continue
			}
			if volume < 0 || mount < 0 {
				t.Errorf("%q is not mounted", folder)
				continue
			}
			if claim := pod.Template.Spec.Volumes[volume].PersistentVolumeClaim; claim == nil || claim.ClaimName != "papers" {
				t.Errorf("the files are in %+v", pod.Template.Spec.Volumes[volume])
			}
			if mounts[mount].MountPath != folder || !mounts[mount].ReadOnly {
				t.Errorf("the files are mounted as %+v, and not at %s", mounts[mount], folder)
			}
			if said := render.Parse(t, render.Config(t, objects, pod)).Get(door, "files"); said != "/files" {
				t.Errorf("the door looks for files in %v", said)
			}
		}
	}
}

var closeMax = regexp.MustCompile(`const CLOSE_MAX: Duration = Duration::from_secs\((\d+)\);`)

// A door that is told to stop goes on until nobody is sent to it, lets open requests end, and says its last.
func TestADoorMayClose(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(render.Chart(t), "../../workers/door/src/accept.rs"))
	if err != nil {
		t.Fatal(err)
	}
	said := closeMax.FindStringSubmatch(string(source))
	if said == nil {
		t.Fatal("the door does not say how long open requests may take")
	}
	seconds, _ := strconv.Atoi(said[1])
	everyDoor(t, func(t *testing.T, objects render.Objects, pod render.Pod) {
		hook := pod.Template.Spec.Containers[0].Lifecycle
		if hook == nil || hook.PreStop == nil || hook.PreStop.Sleep == nil || hook.PreStop.Sleep.Seconds < 5 {
			t.Fatalf("the door is told to stop while requests are sent to it: %+v", hook)
		}
		wanted := time.Duration(hook.PreStop.Sleep.Seconds+int64(seconds))*time.Second + graceOverDrain
		if grace := pod.Template.Spec.TerminationGracePeriodSeconds; grace == nil || time.Duration(*grace)*time.Second != wanted {
			t.Errorf("the door is killed after %v s, and needs %s", grace, wanted)
		}
		rolling := render.Get[appsv1.Deployment](t, objects, "Deployment", pod.Owner).Spec.Strategy.RollingUpdate
		if rolling == nil || rolling.MaxUnavailable.String() != "0" {
			t.Errorf("the door is replaced as %+v", rolling)
		}
	})
	none := render.With(t, "door", "door.preStopSeconds=0")
	if hook := render.Get[appsv1.Deployment](t, none, "Deployment", "argosy-door").Spec.Template.Spec.Containers[0].Lifecycle; hook != nil {
		t.Errorf("a door that does not wait has the hook %+v", hook)
	}
}

func TestTheDoorIsScaledByTheCPU(t *testing.T) {
	objects := render.Set(t, "door")
	spec := render.Get[autoscalingv2.HorizontalPodAutoscaler](t, objects, "HorizontalPodAutoscaler", "argosy-door").Spec
	if len(spec.Metrics) != 1 || spec.Metrics[0].Resource == nil {
		t.Fatalf("the door is scaled by %+v", spec.Metrics)
	}
	metric := spec.Metrics[0].Resource
	if metric.Name != corev1.ResourceCPU || metric.Target.Type != autoscalingv2.UtilizationMetricType ||
		*metric.Target.AverageUtilization != 60 || *spec.MinReplicas != 3 || spec.MaxReplicas != 12 {
		t.Errorf("the door is scaled by %+v", spec)
	}
	requests := render.Get[appsv1.Deployment](t, objects, "Deployment", "argosy-door").Spec.Template.Spec.Containers[0].Resources.Requests
	if requests.Cpu().IsZero() {
		t.Error("parts of no CPU are counted")
	}
}

// What `defaults` says of pods holds for doors, where the door says nothing else, and what it says of steps does not.
func TestADoorIsAsDefaultsSay(t *testing.T) {
	objects := render.With(t, "door-open", "defaults.priorityClassName=important", "defaults.nodeSelector.pool=edge",
		"defaults.config.run.step_timeout=90s", "defaults.autoscaling.type=hpa", "defaults.drainSeconds=99", "defaults.lingerSeconds=59",
		"door.nodeSelector.disk=ssd")
	deployment := render.Get[appsv1.Deployment](t, objects, "Deployment", "argosy-door")
	spec := deployment.Spec.Template.Spec
	if spec.PriorityClassName != "important" || !reflect.DeepEqual(spec.NodeSelector, map[string]string{"pool": "edge", "disk": "ssd"}) {
		t.Errorf("the door has the priority %q on %v", spec.PriorityClassName, spec.NodeSelector)
	}
	if deployment.Spec.Replicas == nil || *deployment.Spec.Replicas != 3 || *spec.TerminationGracePeriodSeconds != 30 {
		t.Errorf("%v doors have %v s", deployment.Spec.Replicas, *spec.TerminationGracePeriodSeconds)
	}
	config := render.Get[corev1.ConfigMap](t, objects, "ConfigMap", "argosy-door").Data["argosy.toml"]
	if strings.Contains(config, "step_timeout") || strings.Contains(config, "linger") {
		t.Errorf("the door reads of steps:\n%s", config)
	}
}

var example = regexp.MustCompile("(?ms)^```yaml\n(extraObjects:\n.*?)^```$")

// The page shows the ingress that a set has, which the API server accepts: it leads to the Service by the name of its port.
func TestTheIngressOfThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(render.Chart(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := example.FindStringSubmatch(string(page))
	if found == nil {
		t.Fatal("README.md shows no ingress")
	}
	var shown map[string]any
	if err := yaml.UnmarshalStrict([]byte(found[1]), &shown); err != nil {
		t.Fatal(err)
	}
	if had := readYAML(t, render.Values(t, "door"))["extraObjects"]; !reflect.DeepEqual(had, shown["extraObjects"]) {
		t.Errorf("the page shows\n%v\nand the set has\n%v", shown["extraObjects"], had)
	}
	objects := render.Set(t, "door")
	ingress := render.Get[networkingv1.Ingress](t, objects, "Ingress", "argosy-door")
	backend := ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service
	service := render.Get[corev1.Service](t, objects, "Service", backend.Name)
	if service.Spec.Ports[0].Name != backend.Port.Name {
		t.Errorf("the ingress leads to the port %v of %v", backend.Port, service.Spec.Ports)
	}
}
