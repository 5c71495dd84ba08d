package chart

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"argosy/tests/chart/render"
)

// Each pod has the seed of its own login, and no other one: `argosy permissions` says what each may do.
func TestEachPodLogsInAsItself(t *testing.T) {
	const mounted = "/etc/argosy/login"
	logins := map[string]string{"setup": "operator", "test": "operator", "documents": "writer"}
	seen := map[string]bool{}
	flags := []string{"documents.enabled=true", "documents.volume.emptyDir.medium=Memory"}
	objects := render.With(t, "door", flags...)
	for _, pod := range render.Pods(t, objects) {
		login, other := logins[pod.Role]
		if !other {
			login = pod.Role
		}
		seen[login] = true
		spec := pod.Template.Spec
		n := slices.IndexFunc(spec.Volumes, func(volume corev1.Volume) bool {
			return volume.Secret != nil && volume.Secret.SecretName == "argosy-logins"
		})
		if n < 0 {
			t.Errorf("%s %s has no login", pod.Kind, pod.Owner)
			continue
		}
		wanted := []corev1.KeyToPath{{Key: login + ".nk", Path: "login.nk"}}
		if items := spec.Volumes[n].Secret.Items; !slices.Equal(items, wanted) {
			t.Errorf("%s %s gets %v, wanted %v", pod.Kind, pod.Owner, items, wanted)
		}
		mounts := spec.Containers[0].VolumeMounts
		if !slices.ContainsFunc(mounts, func(mount corev1.VolumeMount) bool {
			return mount.Name == spec.Volumes[n].Name && mount.MountPath == mounted
		}) {
			t.Errorf("%s %s does not mount its login: %v", pod.Kind, pod.Owner, mounts)
		}
		options := render.Parse(t, render.Config(t, objects, pod))
		if file := options.Get("nats", "nkey"); file != mounted+"/login.nk" {
			t.Errorf("%s %s logs in with %v", pod.Kind, pod.Owner, file)
		}
	}
	for _, login := range append(render.Roles(), "door", "operator", "writer") {
		if !seen[login] {
			t.Errorf("no pod logs in as %s", login)
		}
	}
}
