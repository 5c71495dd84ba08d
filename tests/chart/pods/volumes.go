package pods

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"argosy/tests/chart/render"
)

// volumes makes the volumes of a pod in a folder and says where each is.
func (kubelet *Kubelet) volumes(t testing.TB, pod render.Pod, folder string, group int) map[string]string {
	t.Helper()
	made := map[string]string{}
	empty := func(name string) {
		made[name] = filepath.Join(folder, name)
		if err := errors.Join(os.Mkdir(made[name], 0o755), give(made[name], group)); err != nil {
			t.Fatal(err)
		}
	}
	for _, volume := range pod.Template.Spec.Volumes {
		source := volume.VolumeSource
		switch {
		case source.EmptyDir != nil:
			empty(volume.Name)
		case source.PersistentVolumeClaim != nil:
			claimed, found := kubelet.Claims[source.PersistentVolumeClaim.ClaimName]
			if !found && pod.Kind == "StatefulSet" {
				// Each one here is another pod of its set, with a claim that nobody had before.
				empty(volume.Name)
				continue
			}
			if !found {
				t.Fatalf("there is no claim %s", source.PersistentVolumeClaim.ClaimName)
			}
			if err := give(claimed, group); err != nil {
				t.Fatal(err)
			}
			made[volume.Name] = claimed
		case source.ConfigMap != nil:
			held := render.Get[corev1.ConfigMap](t, kubelet.Objects, "ConfigMap", source.ConfigMap.Name)
			made[volume.Name] = filepath.Join(folder, volume.Name)
			project(t, made[volume.Name], held.Data, mode(source.ConfigMap.DefaultMode), group)
		case source.Secret != nil:
			made[volume.Name] = filepath.Join(folder, volume.Name)
			project(t, made[volume.Name], kubelet.secret(t, source.Secret.SecretName), mode(source.Secret.DefaultMode), group)
		default:
			t.Fatalf("%s: this test does not know the kind of the volume %s", pod.Owner, volume.Name)
		}
	}
	return made
}

func mode(said *int32) fs.FileMode {
	if said == nil {
		return 0o644
	}
	return fs.FileMode(*said)
}

// give gives a volume to a group, as fsGroup does: it stays root's, and the group may do what the owner may.
func give(folder string, group int) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		about, err := entry.Info()
		if err != nil {
			return err
		}
		mode := about.Mode().Perm() | 0o660
		if entry.IsDir() {
			mode |= 0o770 | fs.ModeSetgid
		}
		return errors.Join(os.Chown(path, -1, group), os.Chmod(path, mode))
	})
}

// project writes what a ConfigMap or a Secret holds as a node does: each key is a link to a file in a folder with
// another name, which is itself a link, so that all keys change at once. Whoever lists such a folder finds more than
// the keys.
func project(t testing.TB, folder string, held map[string]string, mode fs.FileMode, group int) {
	t.Helper()
	const version = "..2026_01_01_00_00_00.000000001"
	kept := filepath.Join(folder, version)
	err := errors.Join(os.MkdirAll(kept, 0o755), os.Symlink(version, filepath.Join(folder, "..data")))
	for key, value := range held {
		path := filepath.Join(kept, key)
		err = errors.Join(err,
			os.WriteFile(path, []byte(value), 0o600),
			os.Chown(path, 0, group),
			os.Chmod(path, mode|0o440),
			os.Symlink(filepath.Join("..data", key), filepath.Join(folder, key)),
		)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// mounts are the mounts of a container; those of one file show what the links of its volume lead to.
func mounts(t testing.TB, container corev1.Container, volumes map[string]string) []Mount {
	t.Helper()
	var mounts []Mount
	for _, mount := range container.VolumeMounts {
		folder, found := volumes[mount.Name]
		if !found {
			t.Fatalf("%s is to be mounted and is no volume", mount.Name)
		}
		from, err := filepath.EvalSymlinks(filepath.Join(folder, mount.SubPath))
		if err != nil {
			t.Fatalf("%s: %v", mount.MountPath, err)
		}
		mounts = append(mounts, Mount{From: from, To: mount.MountPath, ReadOnly: mount.ReadOnly})
	}
	return mounts
}
