package bed

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"argosy/tests/chart/tools"
)

// ReadyAfter is an annotation of a pod: how long it is running before it is ready, such as `5s`. Without it a pod is ready at
// once.
const ReadyAfter = "argosy.test/ready-after"

// Nodes is how many nodes there are.
const Nodes = 3

// startNodes starts kwok, makes the nodes and the storage class, and waits until the nodes are ready.
func (bed *Bed) startNodes() error {
	stages, err := tools.Path("stages")
	if err != nil {
		return err
	}
	if err := writeStages(stages, filepath.Join(bed.Folder, "stages.yaml")); err != nil {
		return err
	}
	if err := bed.run("kwok", kwokFlags(bed.Folder)...); err != nil {
		return err
	}
	for n := range Nodes {
		if err := bed.makeNode(fmt.Sprintf("node-%d", n)); err != nil {
			return err
		}
	}
	if _, err := bed.Kubectl("apply", "--filename", filepath.Join(stages, "storage-class.yaml")); err != nil {
		return err
	}
	return bed.Wait("ready nodes", bed.nodesReady)
}

func (bed *Bed) makeNode(name string) error {
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("64"),
		corev1.ResourceMemory: resource.MustParse("512Gi"),
		corev1.ResourcePods:   resource.MustParse("500"),
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "topology.kubernetes.io/zone": "zone-of-" + name,
		}},
		Status: corev1.NodeStatus{Allocatable: room, Capacity: room},
	}
	_, err := bed.Client.CoreV1().Nodes().Create(context.Background(), node, metav1.CreateOptions{})
	return err
}

func (bed *Bed) nodesReady() error {
	nodes, err := bed.Client.CoreV1().Nodes().List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	ready := 0
	for _, node := range nodes.Items {
		for _, condition := range node.Status.Conditions {
			// A taint of a node that was not ready yet keeps pods away for another moment.
			if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue && len(node.Spec.Taints) == 0 {
				ready++
			}
		}
	}
	if ready < Nodes {
		return fmt.Errorf("%d of %d nodes are ready", ready, Nodes)
	}
	return nil
}

// kwokStages are files of kwok that say how nodes, pods and volumes go on.
var kwokStages = []string{
	"node-initialize", "node-heartbeat-with-lease", "pod-ready", "pod-complete", "pod-delete",
	"pvc-provision", "pvc-delete", "pv-bind", "pv-delete",
}

// writeStages writes one file with all stages: those of kwok, of which the one that makes pods ready waits as long as a pod
// says, and another one, with which pods of `helm test` succeed as those of jobs do.
func writeStages(folder, to string) error {
	var all bytes.Buffer
	add := func(name string, change func(stage)) error {
		stage, err := readStage(folder, name)
		if err != nil {
			return err
		}
		change(stage)
		text, err := yaml.Marshal(stage)
		fmt.Fprintf(&all, "---\n%s", text)
		return err
	}
	for _, name := range kwokStages {
		change := func(stage) {}
		if name == "pod-ready" {
			change = stage.wait
		}
		if err := add(name, change); err != nil {
			return err
		}
	}
	if err := add("pod-complete", stage.takeTests); err != nil {
		return err
	}
	return os.WriteFile(to, all.Bytes(), 0o600)
}

// stage is an object of kwok: which objects it takes, and what it makes of them after which time.
type stage map[string]any

func (stage stage) spec() map[string]any {
	return stage["spec"].(map[string]any)
}

// wait has it wait as long as the pod says, or not at all.
func (stage stage) wait() {
	said := map[string]any{"expressionFrom": `.metadata.annotations["` + ReadyAfter + `"]`}
	stage.spec()["delay"] = map[string]any{"durationMilliseconds": 0, "durationFrom": said}
}

// takeTests has it take the pods of `helm test` in place of those of jobs, which its last condition names.
func (stage stage) takeTests() {
	stage["metadata"] = map[string]any{"name": "test-complete"}
	conditions := stage.spec()["selector"].(map[string]any)["matchExpressions"].([]any)
	conditions[len(conditions)-1] = map[string]any{
		"key": `.metadata.annotations["helm.sh/hook"]`, "operator": "In", "values": []any{"test"},
	}
}

func readStage(folder, name string) (stage, error) {
	text, err := os.ReadFile(filepath.Join(folder, name+".yaml"))
	if err != nil {
		return nil, err
	}
	var read stage
	return read, yaml.Unmarshal(text, &read)
}
