package live

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"argosy/tests/chart/bed"
	"argosy/tests/chart/render"
)

// TestHPAsDecideAndUpgradesDoNot runs the real controller of HPAs. No adapter serves the metric here: it keeps what there is
// within its bounds and says what it misses.
func TestHPAsDecideAndUpgradesDoNot(t *testing.T) {
	t.Parallel()
	namespace := namespace(t)
	helm(t, namespace, "hpa")
	hpas := cluster.Client.AutoscalingV2().HorizontalPodAutoscalers(namespace)
	deployments := cluster.Client.AppsV1().Deployments(namespace)
	replicas := func(wanted int32) func() error {
		return func() error {
			mapper, err := deployments.Get(ctx, "argosy-mapper", metav1.GetOptions{})
			if err == nil && mapper.Status.AvailableReplicas != wanted {
				err = fmt.Errorf("there are %d mappers", mapper.Status.AvailableReplicas)
			}
			return err
		}
	}
	// Without `replicas` there is one at first, and the HPA wants two at least.
	wait(t, "the least number of mappers", replicas(2))
	wait(t, "what HPAs say", func() error {
		list, err := hpas.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(list.Items) != 8 {
			return fmt.Errorf("there are %d HPAs", len(list.Items))
		}
		for _, hpa := range list.Items {
			if condition(hpa, autoscalingv2.AbleToScale).Status != corev1.ConditionTrue {
				return fmt.Errorf("%s does not find what it scales: %+v", hpa.Name, hpa.Status.Conditions)
			}
			if reason := condition(hpa, autoscalingv2.ScalingActive).Reason; reason != "FailedGetExternalMetric" {
				return fmt.Errorf("%s says %q", hpa.Name, reason)
			}
		}
		return nil
	})

	// Somebody, as the HPA would under load, has scaled up: an upgrade must not scale down.
	scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "argosy-mapper", Namespace: namespace}}
	scale.Spec.Replicas = 5
	if _, err := deployments.UpdateScale(ctx, "argosy-mapper", scale, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	wait(t, "five mappers", replicas(5))
	helm(t, namespace, "hpa", "roles.mapper.config.mapper.max_tokens=99")
	if err := replicas(5)(); err != nil {
		t.Errorf("after an upgrade: %v", err)
	}
	// What helm says it makes so would be the number at the beginning of the upgrade, and set-up may take minutes.
	manifest, err := cluster.Helm("get", "manifest", render.Release, "--namespace", namespace)
	if err != nil {
		t.Fatal(err)
	}
	said := render.Get[appsv1.Deployment](t, render.Read(t, manifest), "Deployment", "argosy-mapper").Spec.Replicas
	if said != nil {
		t.Errorf("the upgrade says that there are %d mappers", *said)
	}
}

// TestAnAutoscalerTakesOverWhatRuns turns autoscaling on for a fleet that runs: its pods, and the claims that would go with
// them, stay as they are.
func TestAnAutoscalerTakesOverWhatRuns(t *testing.T) {
	t.Parallel()
	namespace := namespace(t)
	helm(t, namespace, "smallest", "roles.mapper.replicas=6", "roles.retriever.replicas=3", "roles.reducer.replicas=1",
		"roles.planner.replicas=5")
	before := claims(t, namespace, "retriever")
	while, cancel := context.WithTimeout(ctx, bed.Patience)
	defer cancel()
	list := metav1.ListOptions{LabelSelector: render.Component + "=mapper"}
	changes, err := cluster.Client.AppsV1().Deployments(namespace).Watch(while, list)
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Stop()
	helm(t, namespace, "smallest", "defaults.autoscaling.type=hpa", "roles.reducer.autoscaling.minReplicas=2",
		"roles.planner.autoscaling.maxReplicas=4", "roles.mapper.config.mapper.max_tokens=99")

	// The fleet is rolled out, so what helm did to the mappers is among the changes up to the last.
	deployments := cluster.Client.AppsV1().Deployments(namespace)
	last, err := deployments.Get(ctx, "argosy-mapper", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for is := (&appsv1.Deployment{}); is.ResourceVersion != last.ResourceVersion; {
		event, open := <-changes.ResultChan()
		if !open {
			t.Fatal("the last change of the mappers is not seen")
		}
		is = event.Object.(*appsv1.Deployment)
		if *is.Spec.Replicas != 6 {
			t.Errorf("for a while there are to be %d mappers", *is.Spec.Replicas)
		}
	}
	for name, wanted := range map[string]int32{"argosy-reducer": 2, "argosy-planner": 4} {
		if is, err := deployments.Get(ctx, name, metav1.GetOptions{}); err != nil || *is.Spec.Replicas != wanted {
			t.Errorf("%s is to have %d pods: %v", name, *is.Spec.Replicas, err)
		}
	}
	after := claims(t, namespace, "retriever")
	for name, claim := range before {
		if after[name].UID != claim.UID {
			t.Errorf("the claim %s is gone", name)
		}
	}
	if len(before) != 3 {
		t.Errorf("there were %d claims", len(before))
	}
}

func condition(hpa autoscalingv2.HorizontalPodAutoscaler, kind autoscalingv2.HorizontalPodAutoscalerConditionType) autoscalingv2.HorizontalPodAutoscalerCondition {
	for _, one := range hpa.Status.Conditions {
		if one.Type == kind {
			return one
		}
	}
	return autoscalingv2.HorizontalPodAutoscalerCondition{}
}
