package cluster

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// byHPA: the chart's own HPA says what it lacks, keeps what runs, and follows the metric once somebody serves it.
func byHPA(t *testing.T, stage *scene) {
	stage.fleet.stop(t, "mapper")
	kubectl(t, stage.plane, "delete", "apiservice", "v1beta1.external.metrics.k8s.io")
	none := []string{
		"roles.planner.autoscaling.type=none", "roles.clarifier.autoscaling.type=none",
		"roles.indexer.autoscaling.type=none", "roles.mapper.autoscaling.type=hpa",
	}
	stage.helm(t, secondNamespace, append(none, "roles.retriever.replicas=3")...)
	stage.helm(t, secondNamespace, append(none, "roles.retriever.autoscaling.type=hpa")...)
	for _, role := range []string{"mapper", "retriever"} {
		within(t, 30*time.Second, "an HPA without its metric", func() error {
			return stage.scaling(role, corev1.ConditionFalse, "FailedGetExternalMetric")
		})
	}
	sets := stage.plane.Client.AppsV1().StatefulSets(secondNamespace)
	retriever, err := sets.Get(ctx, "argosy-retriever", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	mark("without an adapter: FailedGetExternalMetric, and %d retrievers", *retriever.Spec.Replicas)
	if *retriever.Spec.Replicas != 3 {
		t.Error("there were three before they were given an HPA")
	}

	gateway := stage.fleet.url(stage.fleet.roles["gateway"][0])
	serveExternal(t, stage.plane, fakeAdapter(t, stage.plane, gateway))
	stage.servers.ask(t, stage.take(t, questions))
	within(t, 60*time.Second, "a lag for four pods", func() error { return stage.lagFor(most) })
	deployments := stage.plane.Client.AppsV1().Deployments(secondNamespace)
	began, last := time.Now(), int32(0)
	within(t, 90*time.Second, "four pods by the HPA", func() error {
		mapper, err := deployments.Get(ctx, "argosy-mapper", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if last != *mapper.Spec.Replicas {
			last = *mapper.Spec.Replicas
			mark("with an adapter: %d pods after %.0f s", last, time.Since(began).Seconds())
		}
		if last != most {
			return fmt.Errorf("there are %d", last)
		}
		return nil
	})
	if err := stage.scaling("mapper", corev1.ConditionTrue, "ValidMetricFound"); err != nil {
		t.Error(err)
	}
}

// secondNamespace has the chart once more, for the same servers.
const secondNamespace = "by-hpa"

// scaling is an error unless an HPA of the chart says this of its metric.
func (s *scene) scaling(role string, status corev1.ConditionStatus, reason string) error {
	hpa, err := s.plane.Client.AutoscalingV2().HorizontalPodAutoscalers(secondNamespace).
		Get(ctx, "argosy-"+role, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, one := range hpa.Status.Conditions {
		if one.Type == "ScalingActive" && one.Status == status && one.Reason == reason {
			return nil
		}
	}
	return fmt.Errorf("the HPA of the %s says %+v", role, hpa.Status.Conditions)
}
