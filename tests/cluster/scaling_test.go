package cluster

import (
	"errors"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"argosy/tests/chart/render"
)

// What testdata/values.yaml says: a pod of the mapper for each 20 messages.
const (
	threshold = 20
	most      = 4
	// asked together they are between 60 and 80 messages: four pods' work, and no more than four can hold.
	questions = 15
)

// TestScaling is one story: each step stands on what those before have left.
func TestScaling(t *testing.T) {
	stage := raise(t)
	steps := []struct {
		name string
		step func(*testing.T, *scene)
	}{
		{"pods follow the lag up, and an upgrade leaves them alone", up},
		{"each server leads to the lag", eachServer},
		{"frozen servers", frozen},
		{"what is held counts", held},
		{"pods follow the lag down", down},
		{"an HPA follows the metric", byHPA},
	}
	for _, one := range steps {
		mark("%s", one.name)
		if !t.Run(one.name, func(t *testing.T) { one.step(t, stage) }) {
			t.Fatal("what follows stands on this")
		}
	}
}

// up: without mappers the lag grows, and the pods with it, doubling at most. All the while an upgrade waits for its
// job, which finds no node: what it brings in the end is another pod template, and not the number of pods that it
// began with.
func up(t *testing.T, stage *scene) {
	for _, role := range watched {
		within(t, 30*time.Second, "KEDA knows the "+role, func() error {
			return condition(stage.plane, release, "argosy-"+role, "Ready", metav1.ConditionTrue)
		})
	}
	stage.watch.until(t, 30*time.Second, "mapper", 1)
	stage.cordon(t, "cordon")
	upgraded := make(chan error, 1)
	go func() { upgraded <- stage.tryHelm(t, release, "roles.mapper.podAnnotations.changed=yes") }()
	within(t, 30*time.Second, "the job of the upgrade", stage.jobWaits)

	began := time.Now()
	stage.servers.ask(t, stage.take(t, questions))
	within(t, 60*time.Second, "a lag for four pods", func() error { return stage.lagFor(most) })
	stage.watch.until(t, 90*time.Second, "mapper", most)
	stage.cordon(t, "uncordon")
	mark("the upgrade goes on")
	if err := <-upgraded; err != nil {
		t.Fatal(err)
	}
	mapper, err := stage.plane.Client.AppsV1().Deployments(release).Get(ctx, "argosy-mapper", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if *mapper.Spec.Replicas != most || mapper.Status.UpdatedReplicas != most ||
		mapper.Spec.Template.Annotations["changed"] != "yes" {
		t.Errorf("the upgrade left %d pods, %d of them new, where the scaler had made %d", *mapper.Spec.Replicas,
			mapper.Status.UpdatedReplicas, most)
	}
	path := stage.watch.path("mapper", began)
	for n := 1; n < len(path); n++ {
		if before, now := path[n-1].pods, path[n].pods; now <= before || now > 2*before {
			t.Errorf("from %d pods to %d", before, now)
		}
	}
	if len(path) < 3 {
		t.Errorf("the pods went %v", path)
	}
}

// jobWaits is an error unless there is a pod of the set-up job, which comes before everything else.
func (s *scene) jobWaits() error {
	setup := metav1.ListOptions{LabelSelector: render.Component + "=setup"}
	pods, err := s.plane.Client.CoreV1().Pods(release).List(ctx, setup)
	if err == nil && len(pods.Items) == 0 {
		err = errors.New("it has no pod")
	}
	return err
}

// lagFor is an error unless the lag is work for so many pods.
func (s *scene) lagFor(pods int) error {
	now, err := s.servers.lag(steps, "mapper")
	if err != nil {
		return err
	}
	if wanted := (now.total() + threshold - 1) / threshold; wanted != pods {
		return fmt.Errorf("the lag is %d, for %d pods", now.total(), wanted)
	}
	return nil
}

// eachServer: a scaler finds the lag by way of every server, though only the leader of the consumer knows it.
func eachServer(t *testing.T, stage *scene) {
	stage.servers.lead(t, 1, steps, "mapper")
	now, err := stage.servers.lag(steps, "mapper")
	if err != nil || now.pending == 0 {
		t.Fatalf("the lag is %+v, %v", now, err)
	}
	for n := range 3 {
		said, leader := told(t, n, steps, "mapper")
		mark("%s says pending %d, held %d, leader %s", serverName(n), said.pending, said.held, leader)
		if leader != serverName(1) || (n == 1) != (said == now) {
			t.Errorf("%s says %+v and that %s leads; the lag is %+v", serverName(n), said, leader, now)
		}
		apply(t, stage.plane, stage.asking(t, n))
	}
	for n := range 3 {
		name := fmt.Sprintf("asks-%d", n)
		within(t, 30*time.Second, "the lag by way of "+serverName(n), func() error {
			value, err := stage.kedaSays(name)
			if err == nil && value != now.total() {
				err = fmt.Errorf("it is %d and not %d", value, now.total())
			}
			return err
		})
		kubectl(t, stage.plane, "--namespace", release, "delete", "scaledobject,deployment", name)
	}
}

// asking is a scaler as the chart makes it for the mapper, but for something else, and by way of one server alone.
func (s *scene) asking(t *testing.T, server int) string {
	t.Helper()
	metadata := kubectl(t, s.plane, "--namespace", release, "get", "scaledobject", "argosy-mapper",
		"--output", "jsonpath={.spec.triggers[0].metadata}")
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: asks-%[1]d, namespace: %[2]s}
spec:
  selector: {matchLabels: {app: asks-%[1]d}}
  template:
    metadata: {labels: {app: asks-%[1]d}}
    spec: {containers: [{name: nothing, image: nothing}]}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: asks-%[1]d, namespace: %[2]s}
spec:
  scaleTargetRef: {name: asks-%[1]d}
  triggers: [{type: nats-jetstream, metadata: %[3]s}]
---
`, server, release, replaceEndpoint(t, metadata, fmt.Sprintf("%s.%s:8222", serverName(server), headless)))
}

// held: work that mappers hold is no less work than what waits for one.
func held(t *testing.T, stage *scene) {
	// Nobody wants to wait for five minutes.
	stage.helm(t, release, "roles.mapper.podAnnotations.changed=yes", "roles.mapper.autoscaling.scaleDownSeconds=15")
	stage.fleet.model.freeze(t)
	stage.fleet.start(t, "mapper", most)
	stage.fleet.ready(t, "mapper")
	everythingHeld := func() error {
		now, err := stage.servers.lag(steps, "mapper")
		if err == nil && (now.pending != 0 || now.held <= (most-1)*threshold) {
			err = fmt.Errorf("the lag is %+v", now)
		}
		return err
	}
	within(t, 30*time.Second, "mappers that hold everything", everythingHeld)
	// Twice the window of scaling down, and six looks of the HPA.
	stage.watch.stays(t, 30*time.Second, "mapper", most, everythingHeld)
	stage.fleet.model.thaw(t)
}

// down: when the work is done the pods go, one a minute. (Those that came within the last minute might go at once.)
// Meanwhile other roles have other troubles.
func down(t *testing.T, stage *scene) {
	began := time.Now()
	within(t, 60*time.Second, "every question ended", func() error {
		ended, err := stage.servers.ended()
		if err == nil && ended != questions {
			err = fmt.Errorf("%d of %d have", ended, questions)
		}
		return err
	})
	t.Run("a consumer is missing", func(t *testing.T) { missing(t, stage) })
	t.Run("from none to one and back", func(t *testing.T) { fromNone(t, stage) })
	// The last one would take another minute.
	stage.watch.until(t, 3*time.Minute, "mapper", 2)
	path := stage.watch.path("mapper", began)
	for n := 1; n < len(path); n++ {
		if path[n].pods != path[n-1].pods-1 {
			t.Errorf("from %d pods to %d", path[n-1].pods, path[n].pods)
		}
	}
}
