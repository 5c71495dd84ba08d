package pods

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// containerWord is the name by which this program knows that it is the first process of a container.
const containerWord = "argosy-pods-container"

// Mount is a file or a folder of the machine that a container sees.
type Mount struct {
	From, To string
	ReadOnly bool
}

// Spec is what a container is made of.
type Spec struct {
	Root         string
	ReadOnlyRoot bool
	Mounts       []Mount
	User, Group  int
	Groups       []int
	Folder       string
	Command      []string
	Env          []string
	// Address is its own on the network of the machine.
	Address string
}

const (
	prCapbsetDrop   = 24
	prSetNoNewPrivs = 38
)

// enter makes a container around this process, as a runtime does, and becomes its command. It runs in new namespaces
// and reads from file 3 what it is to be once its network is there. It returns only when that failed.
func enter() error {
	// Rights belong to a thread, and the one that becomes the command keeps its own.
	runtime.LockOSThread()
	var spec Spec
	file := os.NewFile(3, "spec")
	if err := json.NewDecoder(file).Decode(&spec); err != nil {
		return fmt.Errorf("its description: %w", err)
	}
	file.Close()
	err := ip("link set lo up", "addr add "+spec.Address+"/16 dev eth0", "link set eth0 up")
	if err != nil {
		return err
	}
	if err := spec.mount(); err != nil {
		return fmt.Errorf("its files: %w", err)
	}
	if err := os.Chdir(spec.Folder); err != nil {
		return err
	}
	if err := spec.giveUpRights(); err != nil {
		return fmt.Errorf("its rights: %w", err)
	}
	return fmt.Errorf("%s: %w", spec.Command[0], syscall.Exec(spec.Command[0], spec.Command, spec.Env))
}

func (spec *Spec) mount() error {
	const again = syscall.MS_REMOUNT | syscall.MS_BIND | syscall.MS_NOSUID
	if err := errors.Join(
		syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""),
		syscall.Mount(spec.Root, spec.Root, "", syscall.MS_BIND, ""),
		syscall.Mount("proc", filepath.Join(spec.Root, "proc"), "proc", 0, ""),
	); err != nil {
		return err
	}
	for _, device := range []string{"null", "zero", "full", "random", "urandom"} {
		at := filepath.Join("/dev", device)
		if err := syscall.Mount(at, filepath.Join(spec.Root, at), "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
	}
	for _, mount := range spec.Mounts {
		at := filepath.Join(spec.Root, mount.To)
		if err := syscall.Mount(mount.From, at, "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("%s at %s: %w", mount.From, mount.To, err)
		}
		if mount.ReadOnly {
			if err := syscall.Mount("", at, "", again|syscall.MS_RDONLY, ""); err != nil {
				return fmt.Errorf("%s: %w", mount.To, err)
			}
		}
	}
	if spec.ReadOnlyRoot {
		if err := syscall.Mount("", spec.Root, "", again|syscall.MS_RDONLY, ""); err != nil {
			return err
		}
	}
	// The new root is put over the old one, which is then taken away.
	return errors.Join(
		os.Chdir(spec.Root),
		syscall.PivotRoot(".", "."),
		syscall.Unmount(".", syscall.MNT_DETACH),
		os.Chdir("/"),
	)
}

// giveUpRights leaves this thread without root's rights and without a way to get any.
func (spec *Spec) giveUpRights() error {
	for capability := uintptr(0); ; capability++ {
		_, _, wrong := syscall.RawSyscall(syscall.SYS_PRCTL, prCapbsetDrop, capability, 0)
		if wrong == syscall.EINVAL && capability > 0 {
			break // behind the last one that this kernel knows
		}
		if wrong != 0 {
			return wrong
		}
	}
	if _, _, wrong := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); wrong != 0 {
		return wrong
	}
	if err := syscall.Setgroups(spec.Groups); err != nil {
		return err
	}
	if err := syscall.Setresgid(spec.Group, spec.Group, spec.Group); err != nil {
		return err
	}
	return syscall.Setresuid(spec.User, spec.User, spec.User)
}
