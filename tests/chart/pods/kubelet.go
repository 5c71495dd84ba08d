package pods

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"argosy/tests/chart/render"
)

// Kubelet starts rendered pods as the agent of a node does. What it does not know how to honour is a failure, so that
// nothing in a pod goes untested unseen.
type Kubelet struct {
	Machine *Machine
	Image   *Image
	Objects render.Objects
	// Claims are the folders of volumes that are there already, by the names of their claims.
	Claims map[string]string
}

// Pod is a running pod.
type Pod struct {
	*Container
	Owner string
	Grace time.Duration
	// Waits is how much of its grace has passed when it is told to stop: the hook before that sleeps.
	Waits time.Duration
	// Endures is how many liveness probes in a row have to fail before a node restarts it.
	Endures int

	health health
}

// Start starts a pod and begins to probe it.
func (kubelet *Kubelet) Start(t testing.TB, pod render.Pod) *Pod {
	t.Helper()
	spec := pod.Template.Spec
	if len(spec.Containers) != 1 {
		t.Fatalf("%s has %d containers", pod.Owner, len(spec.Containers))
	}
	container := spec.Containers[0]
	for _, rest := range []any{unknownOfPod(spec), unknownOfContainer(container)} {
		if !reflect.ValueOf(rest).IsZero() {
			text, _ := yaml.Marshal(rest)
			t.Fatalf("%s: this test does not know what to do with\n%s", pod.Owner, text)
		}
	}
	hostname := fmt.Sprintf("%s-%d", pod.Owner, kubelet.Machine.number())
	folder := filepath.Join(kubelet.Machine.Folder, "volumes-"+hostname)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	group := int(*spec.SecurityContext.FSGroup)
	volumes := kubelet.volumes(t, pod, folder, group)
	search := "search " + render.Namespace + ".svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n"
	running := &Pod{Owner: pod.Owner, Grace: 30 * time.Second}
	if seconds := spec.TerminationGracePeriodSeconds; seconds != nil {
		running.Grace = time.Duration(*seconds) * time.Second
	}
	if sleeps(container.Lifecycle) {
		running.Waits = time.Duration(container.Lifecycle.PreStop.Sleep.Seconds) * time.Second
	}
	if container.LivenessProbe != nil {
		running.Endures = int(orElse(container.LivenessProbe.FailureThreshold, 3))
	}
	running.Container = kubelet.Machine.Start(t, hostname, kubelet.Image.Root, Spec{
		ReadOnlyRoot: *container.SecurityContext.ReadOnlyRootFilesystem,
		Mounts:       append(mounts(t, container, volumes), lookups(t, folder, search, "")...),
		User:         int(*spec.SecurityContext.RunAsUser),
		Group:        int(*spec.SecurityContext.RunAsGroup),
		Groups:       []int{group},
		Folder:       kubelet.Image.Folder,
		Command:      kubelet.command(container),
		Env:          append(kubelet.Image.Env(hostname), kubelet.env(t, container, hostname)...),
	})
	probing, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	running.watch(probing, container)
	return running
}

func (kubelet *Kubelet) command(container corev1.Container) []string {
	command := container.Command
	if len(command) == 0 {
		command = kubelet.Image.Entrypoint
	}
	return append(append([]string{}, command...), container.Args...)
}

// unknownOfPod is what is left of a pod without what is honoured here, what only the scheduler reads, and what any node
// does.
func unknownOfPod(spec corev1.PodSpec) corev1.PodSpec {
	security := *spec.SecurityContext
	security.RunAsUser, security.RunAsGroup, security.FSGroup, security.FSGroupChangePolicy = nil, nil, nil, nil
	if is(security.RunAsNonRoot, true) {
		security.RunAsNonRoot = nil
	}
	// Not applied: there is no filter of system calls here.
	security.SeccompProfile = nil
	spec.SecurityContext = &security
	if reflect.ValueOf(security).IsZero() {
		spec.SecurityContext = nil
	}
	if is(spec.AutomountServiceAccountToken, false) {
		spec.AutomountServiceAccountToken = nil
	}
	if is(spec.EnableServiceLinks, false) {
		spec.EnableServiceLinks = nil
	}
	spec.TopologySpreadConstraints, spec.NodeSelector, spec.Tolerations, spec.Affinity = nil, nil, nil, nil
	spec.Containers, spec.Volumes, spec.TerminationGracePeriodSeconds = nil, nil, nil
	spec.ServiceAccountName, spec.RestartPolicy, spec.ImagePullSecrets = "", "", nil
	return spec
}

// unknownOfContainer is what is left of a container likewise. Limits are not applied.
func unknownOfContainer(container corev1.Container) corev1.Container {
	security := *container.SecurityContext
	// That the root may be written to is honoured, too; the others are how every container here is.
	security.ReadOnlyRootFilesystem = nil
	if is(security.AllowPrivilegeEscalation, false) {
		security.AllowPrivilegeEscalation = nil
	}
	drops := security.Capabilities
	if drops != nil && len(drops.Add) == 0 && len(drops.Drop) == 1 && drops.Drop[0] == "ALL" {
		security.Capabilities = nil
	}
	container.SecurityContext = &security
	if reflect.ValueOf(security).IsZero() {
		container.SecurityContext = nil
	}
	container.Name, container.Image, container.ImagePullPolicy = "", "", ""
	container.Command, container.Args, container.Env, container.EnvFrom = nil, nil, nil, nil
	container.Ports, container.VolumeMounts, container.Resources = nil, nil, corev1.ResourceRequirements{}
	container.StartupProbe, container.LivenessProbe, container.ReadinessProbe = nil, nil, nil
	if sleeps(container.Lifecycle) {
		container.Lifecycle = nil
	}
	return container
}

// sleeps says whether hooks are one that sleeps before the end, and no other.
func sleeps(hooks *corev1.Lifecycle) bool {
	return hooks != nil && hooks.PostStart == nil && hooks.PreStop != nil && hooks.PreStop.Sleep != nil
}

func is(flag *bool, wanted bool) bool {
	return flag != nil && *flag == wanted
}

// env are the variables that a container is given, with what secrets and configurations hold.
func (kubelet *Kubelet) env(t testing.TB, container corev1.Container, hostname string) []string {
	t.Helper()
	var env []string
	for _, from := range container.EnvFrom {
		var held map[string]string
		switch {
		case from.SecretRef != nil:
			held = kubelet.secret(t, from.SecretRef.Name)
		case from.ConfigMapRef != nil:
			held = render.Get[corev1.ConfigMap](t, kubelet.Objects, "ConfigMap", from.ConfigMapRef.Name).Data
		}
		for key, value := range held {
			env = append(env, from.Prefix+key+"="+value)
		}
	}
	for _, variable := range container.Env {
		value, found := variable.Value, true
		if from := variable.ValueFrom; from != nil {
			switch {
			case from.SecretKeyRef != nil:
				value, found = kubelet.secret(t, from.SecretKeyRef.Name)[from.SecretKeyRef.Key]
			case from.ConfigMapKeyRef != nil:
				configuration := render.Get[corev1.ConfigMap](t, kubelet.Objects, "ConfigMap", from.ConfigMapKeyRef.Name)
				value, found = configuration.Data[from.ConfigMapKeyRef.Key]
			case from.FieldRef != nil && from.FieldRef.FieldPath == "metadata.name":
				value = hostname
			default:
				found = false
			}
		}
		if !found || strings.Contains(value, "$(") {
			t.Fatalf("the variable %s: nothing to resolve it with: %v %q", variable.Name, variable.ValueFrom, value)
		}
		env = append(env, variable.Name+"="+value)
	}
	return env
}

// secret is what a rendered secret holds.
func (kubelet *Kubelet) secret(t testing.TB, name string) map[string]string {
	t.Helper()
	secret := render.Get[corev1.Secret](t, kubelet.Objects, "Secret", name)
	held := map[string]string{}
	for key, value := range secret.Data {
		held[key] = string(value)
	}
	for key, value := range secret.StringData {
		held[key] = value
	}
	return held
}
