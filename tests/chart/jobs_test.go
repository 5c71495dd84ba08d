package chart

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"argosy/tests/chart/render"
)

// Where the nodes of a fleet are tainted, jobs have to run there as well.
func TestPodsOfJobsRunWhereRolesDo(t *testing.T) {
	wanted := placement(rolePods(t, render.Set(t, "everything"))[0].Template)
	jobs := 0
	objects := render.With(t, "everything", "documents.enabled=true", "documents.volume.hostPath.path=/papers")
	for _, pod := range render.Pods(t, objects) {
		if !slices.Contains(roles, pod.Role) {
			jobs++
		}
		if is := placement(pod.Template); !reflect.DeepEqual(is, wanted) {
			t.Errorf("%s %s is placed by %+v, and the roles by %+v", pod.Kind, pod.Owner, is, wanted)
		}
		if pod.Template.Labels["tier"] != "backend" || pod.Template.Annotations["example.com/scan"] != "true" {
			t.Errorf("%s %s has %v, %v", pod.Kind, pod.Owner, pod.Template.Labels, pod.Template.Annotations)
		}
	}
	if jobs != 3 || wanted.NodeSelector == nil || wanted.Tolerations == nil || wanted.Affinity == nil {
		t.Errorf("%d jobs are compared with %+v", jobs, wanted)
	}
	for _, pod := range render.Pods(t, render.With(t, "dev-stack", "defaults.nodeSelector.disk=ssd")) {
		if pod.Template.Spec.NodeSelector["disk"] != "ssd" {
			t.Errorf("%s %s runs anywhere", pod.Kind, pod.Owner)
		}
	}
}

// placement is what of a pod says where it may run and what it is given there.
func placement(template corev1.PodTemplateSpec) corev1.PodSpec {
	spec := template.Spec
	return corev1.PodSpec{
		NodeSelector: spec.NodeSelector, Tolerations: spec.Tolerations, Affinity: spec.Affinity,
		PriorityClassName: spec.PriorityClassName, RuntimeClassName: spec.RuntimeClassName,
		Containers: []corev1.Container{{Env: spec.Containers[0].Env}},
	}
}

// A URL with a password reaches every pod, and stands in no ConfigMap.
func TestAURLOfNATSComesFromASecret(t *testing.T) {
	objects := render.Set(t, "nightly")
	for _, pod := range render.Pods(t, objects) {
		from := &corev1.SecretKeySelector{Key: "url"}
		from.Name = "argosy-nats"
		wanted := []corev1.EnvVar{{Name: "ARGOSY__nats__url", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: from}}}
		if env := pod.Template.Spec.Containers[0].Env; !reflect.DeepEqual(env, wanted) {
			t.Errorf("%s %s has the variables %+v", pod.Kind, pod.Owner, env)
		}
		if is := render.Parse(t, render.Config(t, objects, pod)).Get("nats"); is != nil {
			t.Errorf("%s %s is configured with %v", pod.Kind, pod.Owner, is)
		}
	}
}

// Nodes in `config` have keys as those of `model` have, and so do the pods that ask them and no others.
func TestKeysOfNodesInConfig(t *testing.T) {
	for set, wanted := range map[string]struct {
		file  string
		roles []string
	}{
		"prompts": {"/etc/argosy/secrets/large-key/api-key", render.Asking()},
		"qdrant":  {"/etc/argosy/secrets/reranker-key/api-key", []string{"indexer", "retriever"}},
	} {
		objects := render.Set(t, set)
		for _, pod := range render.Pods(t, objects) {
			reads := strings.Contains(render.Config(t, objects, pod), wanted.file)
			mounts := slices.ContainsFunc(secretFiles(pod.Template.Spec), func(folder string) bool {
				return strings.HasPrefix(wanted.file, folder+"/")
			})
			if should := slices.Contains(wanted.roles, pod.Role); reads != should || mounts != should {
				t.Errorf("%s, %s: reads the key: %v, mounts it: %v", set, pod.Owner, reads, mounts)
			}
		}
	}
}

// With a hook before an upgrade, set-up reads what the roles will read, and a mistake ends there.
func TestSetupReadsAllOfConfig(t *testing.T) {
	for flag, wanted := range map[string]any{"setup.hook=true": int64(99), "setup.hook=false": nil} {
		objects := render.With(t, "smallest", "config.reducer.max_tokens=99", flag)
		for _, pod := range render.Pods(t, objects) {
			if pod.Role != "setup" {
				continue
			}
			if is := render.Parse(t, render.Config(t, objects, pod)).Get("reducer", "max_tokens"); is != wanted {
				t.Errorf("with %s set-up reads %v", flag, is)
			}
		}
	}
}

// Who reads files does so by the same options and schemas: a folder is looked at by the job, and a door takes uploads. A
// retriever knows the schemas for its conditions, and set-up, as a hook, checks what all others read.
func TestFilesAreReadAlikeEverywhere(t *testing.T) {
	const folder = "/etc/argosy/schemas"
	objects := render.With(t, "door", "config.indexer.ocr=tesseract", `schemas.tickets\.toml=more`,
		"documents.enabled=true", "documents.volume.persistentVolumeClaim.claimName=papers")
	recognise, know := []string{"documents", door, "indexer", "setup"}, []string{"documents", door, "indexer", "retriever"}
	var recognising, knowing []string
	for _, pod := range render.Pods(t, objects) {
		options := render.Parse(t, render.Config(t, objects, pod))
		if options.Get("indexer", "ocr") == "tesseract" {
			recognising = append(recognising, pod.Role)
		}
		schemas := options.Get("indexer", "schemas")
		if schemas != nil {
			knowing = append(knowing, pod.Role)
		}
		if mounts := mountsOf(pod.Template.Spec, render.Release+"-schemas"); (schemas == folder) != slices.Equal(mounts, []string{folder}) {
			t.Errorf("%s looks for schemas in %v, and has them in %v", pod.Owner, schemas, mounts)
		}
	}
	slices.Sort(recognising)
	slices.Sort(knowing)
	if !slices.Equal(recognising, recognise) || !slices.Equal(knowing, know) {
		t.Errorf("%v recognise text, and %v know the schemas", recognising, knowing)
	}
}

// mountsOf are the folders in which a pod finds a ConfigMap.
func mountsOf(spec corev1.PodSpec, name string) []string {
	var folders []string
	for _, volume := range spec.Volumes {
		for _, mount := range spec.Containers[0].VolumeMounts {
			if volume.ConfigMap != nil && volume.ConfigMap.Name == name && volume.Name == mount.Name {
				folders = append(folders, mount.MountPath)
			}
		}
	}
	return folders
}

// A job that ran is not run again. Where files are read in another way there is another one, as there may be more in them.
func TestDocumentsAreReadAgainInAnotherWay(t *testing.T) {
	job := func(flags ...string) string {
		flags = append(flags, "documents.enabled=true", "documents.volume.persistentVolumeClaim.claimName=papers")
		for _, pod := range render.Pods(t, render.With(t, "smallest", flags...)) {
			if pod.Role == "documents" {
				return pod.Owner
			}
		}
		t.Fatal("no job reads documents")
		return ""
	}
	before := job()
	for flag, isOther := range map[string]bool{
		"config.indexer.ocr=tesseract": true, `schemas.tickets\.toml=more`: true, "config.reducer.max_tokens=99": false,
	} {
		if after := job(flag); (after != before) != isOther {
			t.Errorf("with %s the job is %s, and it was %s", flag, after, before)
		}
	}
}

// What the chart has a default of gives way to `config`.
func TestConfigWinsOverDefaults(t *testing.T) {
	objects := render.With(t, "smallest", "config.telemetry.log_format=human", "config.telemetry.listen=0.0.0.0:9464")
	for _, pod := range rolePods(t, objects) {
		options := render.Parse(t, render.Config(t, objects, pod))
		format, listen := options.Get("telemetry", "log_format"), options.Get("telemetry", "listen")
		if format != "human" || listen != "0.0.0.0:9464" {
			t.Errorf("%s logs as %v and listens at %v", pod.Owner, format, listen)
		}
	}
}

func TestTheRegistryIsPutBeforeTheImage(t *testing.T) {
	for _, registry := range []string{"r.io/team", "r.io/team/"} {
		objects := render.With(t, "smallest", "global.image.registry="+registry, "global.image.repository=argosy")
		if image := rolePods(t, objects)[0].Template.Spec.Containers[0].Image; image != "r.io/team/argosy:0.1.0" {
			t.Errorf("%s gives %s", registry, image)
		}
	}
}
