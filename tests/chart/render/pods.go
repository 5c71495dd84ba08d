package render

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Component is the label that says what a pod is: a role, or `setup`, `documents`, `test`, `nats`.
const Component = "app.kubernetes.io/component"

// Pod is a pod as some object makes it.
type Pod struct {
	// Kind and Owner name the object: a Deployment, StatefulSet, Job or CronJob, or the pod itself.
	Kind, Owner string
	// Role is the value of Component.
	Role     string
	Template corev1.PodTemplateSpec
	// Replicas is nil where an autoscaler decides, and for jobs and pods.
	Replicas *int32
	// Selector is nil for jobs and pods.
	Selector *metav1.LabelSelector
}

// Pods are the templates of all pods of a render.
func Pods(t testing.TB, objects Objects) []Pod {
	t.Helper()
	var pods []Pod
	for _, object := range objects {
		pod := Pod{Kind: object.Kind, Owner: object.Name}
		switch object.Kind {
		case "Deployment":
			spec := Into[appsv1.Deployment](t, object).Spec
			pod.Template, pod.Replicas, pod.Selector = spec.Template, spec.Replicas, spec.Selector
		case "StatefulSet":
			spec := Into[appsv1.StatefulSet](t, object).Spec
			pod.Template, pod.Replicas, pod.Selector = spec.Template, spec.Replicas, spec.Selector
			pod.Template.Spec.Volumes = append(pod.Template.Spec.Volumes, claimed(object.Name, spec.VolumeClaimTemplates)...)
		case "Job":
			pod.Template = Into[batchv1.Job](t, object).Spec.Template
		case "CronJob":
			pod.Template = Into[batchv1.CronJob](t, object).Spec.JobTemplate.Spec.Template
		case "Pod":
			whole := Into[corev1.Pod](t, object)
			pod.Template = corev1.PodTemplateSpec{ObjectMeta: whole.ObjectMeta, Spec: whole.Spec}
		default:
			continue
		}
		pod.Role = pod.Template.Labels[Component]
		pods = append(pods, pod)
	}
	return pods
}

// claimed are the volumes that the first pod of a StatefulSet is given beside those of its template.
func claimed(owner string, claims []corev1.PersistentVolumeClaim) []corev1.Volume {
	var volumes []corev1.Volume
	for _, claim := range claims {
		source := &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name + "-" + owner + "-0"}
		volumes = append(volumes, corev1.Volume{
			Name: claim.Name, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: source},
		})
	}
	return volumes
}

// Workloads are the pods of Deployments and StatefulSets, which run until they are told to stop.
func Workloads(t testing.TB, objects Objects) []Pod {
	t.Helper()
	var kept []Pod
	for _, pod := range Pods(t, objects) {
		if pod.Selector != nil {
			kept = append(kept, pod)
		}
	}
	return kept
}
