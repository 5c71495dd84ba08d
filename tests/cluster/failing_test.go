package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// How many pods there are at least while nobody can say what waits, as testdata/values.yaml says; and how often KEDA
// has to have asked for nothing before, as the chart says.
const (
	fallback         = 2
	failureThreshold = 3
)

// missing: a consumer that is gone is an error of the scaler, never a reason for most pods or for none.
func missing(t *testing.T, stage *scene) {
	before := scalerErrors(t, "argosy-clarifier")
	if err := stage.servers.js.DeleteConsumer(ctx, steps, "clarifier"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	falls(t, stage, "clarifier", true)
	stage.watch.until(t, 30*time.Second, "clarifier", fallback)
	after := scalerErrors(t, "argosy-clarifier")
	mark("clarifier: %d pods after %.0f s, errors of the scaler from %d to %d", fallback, time.Since(began).Seconds(),
		before, after)
	if after <= before {
		t.Error("no errors are counted")
	}
	said := events(t, stage.plane, release, "keda-hpa-argosy-clarifier")
	if !strings.Contains(said, "FailedGetExternalMetric") {
		t.Errorf("the HPA says nothing of it: %s", said)
	}
	// Objects say that there is an error; which one stands in the operator's log alone.
	if said := stage.operator.said(t); !strings.Contains(said, "consumer clarifier") {
		t.Errorf("%s does not name the consumer", stage.operator.log)
	}
	setUp(t, stage.crew.folder)
	falls(t, stage, "clarifier", false)
	stage.watch.until(t, 90*time.Second, "clarifier", 1)
}

// fromNone: a role that may have no pod is given one by a single message, and loses it again.
func fromNone(t *testing.T, stage *scene) {
	stage.fleet.stop(t, "indexer")
	stage.watch.until(t, 60*time.Second, "indexer", 0)
	stage.servers.publish(t, &nats.Msg{
		Subject: "argosy.document.generic.late", Header: nats.Header{"Argosy-Source": {"generic/late.md"}},
		Data: []byte("# A late document\n\nIt comes when no indexer runs.\n"),
	})
	stage.watch.until(t, 60*time.Second, "indexer", 1)
	stage.fleet.start(t, "indexer", 1)
	stage.watch.until(t, 90*time.Second, "indexer", 0)
}

// frozen: a server that takes connections and answers nobody. There are two ways to meet one.
func frozen(t *testing.T, stage *scene) {
	t.Run("which is asked", func(t *testing.T) {
		freeze(t, stage, 0, func(server *process) { withoutAnswer(t, stage, server) })
	})
	t.Run("which leads", func(t *testing.T) {
		freeze(t, stage, 1, func(server *process) { anotherLeads(t, stage, server) })
	})
}

// freeze stops a server that leads the consumers of three roles, and brings it back.
func freeze(t *testing.T, stage *scene, n int, meanwhile func(*process)) {
	stage.servers.lead(t, n, documents, "indexer-main")
	for _, role := range []string{"mapper", "planner"} {
		stage.servers.lead(t, n, steps, role)
		falls(t, stage, role, false)
	}
	stage.watch.until(t, 60*time.Second, "planner", 1)
	stage.watch.until(t, 60*time.Second, "indexer", 0)
	server := stage.servers.processes[n]
	server.freeze(t)
	defer server.thaw(t)
	began := time.Now()
	meanwhile(server)
	// What runs stays: it has work.
	if path := stage.watch.path("mapper", began); len(path) != 1 || path[0].pods != most {
		t.Errorf("the mapper went %v", path)
	}
	server.thaw(t)
	began = time.Now()
	within(t, 60*time.Second, "three servers again", stage.servers.healthy)
	for _, role := range []string{"mapper", "planner"} {
		falls(t, stage, role, false)
	}
	within(t, 60*time.Second, "the lag", func() error {
		_, err := stage.kedaKnows()
		return err
	})
	mark("%s goes on: all known after %.0f s", server.name, time.Since(began).Seconds())
}

// withoutAnswer: the one who is asked first is the one who knows. Nothing can be known, and there are enough pods for
// whatever may come, of roles too that had none.
func withoutAnswer(t *testing.T, stage *scene, server *process) {
	before, began := scalerErrors(t, "argosy-planner"), time.Now()
	falls(t, stage, "planner", true)
	falls(t, stage, "mapper", true)
	stage.watch.until(t, 60*time.Second, "planner", fallback)
	after := scalerErrors(t, "argosy-planner")
	mark("%s is frozen: planner from 1 pod to %d after %.0f s, mapper keeps %d, errors of the scaler from %d to %d",
		server.name, fallback, time.Since(began).Seconds(), stage.watch.pods("mapper"), before, after)
	if after <= before {
		t.Error("no errors are counted")
	}
	stage.watch.until(t, 120*time.Second, "indexer", fallback)
	mark("indexer from none to %d after %.0f s", fallback, time.Since(began).Seconds())
}

// anotherLeads: the other servers choose another leader, and the scaler finds it, though the one that it knew says
// nothing. Until the frozen one is no more said to belong to the cluster, it may fail or even take what a follower says
// (KEDA 2.21.0): the window of scaling down has to be longer than that.
func anotherLeads(t *testing.T, stage *scene, server *process) {
	began, wrong := time.Now(), -1
	within(t, 60*time.Second, "another leader", func() error {
		info, err := stage.servers.info(steps, "mapper")
		if err == nil && info.Cluster.Leader == server.name {
			err = fmt.Errorf("it is %s", server.name)
		}
		return err
	})
	elected := time.Since(began)
	within(t, 120*time.Second, "the lag from another leader", func() error {
		said, err := stage.kedaKnows()
		if err != nil && said >= 0 {
			wrong = said
		}
		return err
	})
	mark("%s is frozen: another leads after %.0f s, and the scaler knows the lag after %.0f s", server.name,
		elected.Seconds(), time.Since(began).Seconds())
	if wrong >= 0 {
		mark("in between it has said %d, which was wrong", wrong)
	}
}

// falls waits until a role has its fallback, or until it has it no more. The condition `Fallback` of a ScaledObject
// is not what to look at: it may stay true when all is well (KEDA 2.21.0).
func falls(t *testing.T, stage *scene, role string, wanted bool) {
	t.Helper()
	within(t, 90*time.Second, fmt.Sprintf("a fallback of the %s that is %v", role, wanted), func() error {
		object, err := scaledObject(stage.plane, release, "argosy-"+role)
		if err != nil {
			return err
		}
		failures := -1
		for _, health := range object.Status.Health {
			failures = health.NumberOfFailures
		}
		if failures >= 0 && (failures > failureThreshold) == wanted && (wanted || failures == 0) {
			return nil
		}
		return fmt.Errorf("failures, one after another: %d", failures)
	})
}

// kedaKnows is an error unless KEDA says the lag of the mapper; and what it says, -1 for nothing.
func (s *scene) kedaKnows() (int, error) {
	now, err := s.servers.lag(steps, "mapper")
	if err != nil {
		return -1, err
	}
	said, err := s.kedaSays("argosy-mapper")
	if err != nil {
		return -1, err
	}
	if said != now.total() {
		return said, fmt.Errorf("it says %d, and the lag is %d", said, now.total())
	}
	return said, nil
}

// kedaSays is what an HPA of KEDA is told: the lag, for one of the steps.
func (s *scene) kedaSays(name string) (int, error) {
	return external(s.plane, release, "s0-nats-jetstream-"+steps, "scaledobject.keda.sh/name="+name)
}

// replaceEndpoint is a trigger's metadata with another server.
func replaceEndpoint(t *testing.T, metadata, endpoint string) string {
	t.Helper()
	var all map[string]string
	if err := json.Unmarshal([]byte(metadata), &all); err != nil {
		t.Fatal(err)
	}
	all["natsServerMonitoringEndpoint"] = endpoint
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
