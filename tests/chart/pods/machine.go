// Package pods runs the pods that the chart renders, and the services of the compose file, as processes: from the root
// of the image, as the user, with the files, the rights and the probes that they would have in a cluster. A control
// plane without kubelets, which the other tests have, never starts a container.
package pods

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// inside is the environment variable that tells a process of these tests that it is the machine's first one, and where
// its folder is.
const inside = "ARGOSY_PODS_MACHINE"

// Gateway is the address of the machine that all containers reach.
const Gateway = "10.88.0.1"

// Machine is where containers run: namespaces of its own for network, mounts and processes, so that nothing that
// happens here is seen outside, and all of it ends with the first process.
type Machine struct {
	// Folder is in memory, and gone with the machine.
	Folder string

	lock  sync.Mutex
	next  int
	names map[string]string
}

// Main runs the tests on a new machine. It is also what this same program is as the first process of a container.
func Main(m *testing.M, give func(*Machine)) int {
	if os.Args[0] == containerWord {
		fmt.Fprintln(os.Stderr, "no container:", enter())
		return 125
	}
	folder := os.Getenv(inside)
	if folder == "" {
		return outside()
	}
	os.Unsetenv(inside)
	machine := &Machine{Folder: folder, names: map[string]string{}}
	if err := machine.start(); err != nil {
		fmt.Fprintln(os.Stderr, "no machine for the pods:", err)
		return 1
	}
	give(machine)
	return m.Run()
}

// outside starts this program again in new namespaces and ends as it ends.
func outside() int {
	folder, err := os.MkdirTemp("", "argosy-pods-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.Remove(folder)
	// The signal at the death of the parent is sent when the thread ends that started the child.
	runtime.LockOSThread()
	command := exec.Command("/proc/self/exe", os.Args[1:]...)
	command.Env = append(os.Environ(), inside+"="+folder)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID,
		Pdeathsig:  syscall.SIGKILL,
	}
	err = command.Run()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		return max(ended.ExitCode(), 1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "no namespaces for the pods: run as root:", err)
		return 1
	}
	return 0
}

func (machine *Machine) start() error {
	if err := users(); err != nil {
		return err
	}
	for _, tool := range []string{"ip", "nsenter", "cp", "strip", "ldd"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%w: install iproute2, util-linux, coreutils, binutils and libc-bin", err)
		}
	}
	if err := errors.Join(
		syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""),
		syscall.Mount("proc", "/proc", "proc", 0, ""),
		syscall.Mount("tmpfs", machine.Folder, "tmpfs", 0, "mode=755"),
		os.Setenv("TMPDIR", machine.Folder),
	); err != nil {
		return err
	}
	err := ip(
		"link set lo up",
		// Without an address of its own it takes that of one of its cables, and another one when that goes: whoever knows
		// the old one reaches nobody for some seconds.
		"link add pods address 0a:58:0a:58:00:01 type bridge",
		"addr add "+Gateway+"/16 dev pods",
		"link set pods up",
	)
	if err != nil {
		return err
	}
	return machine.serveNames()
}

// users makes sure that the users of the image exist here: in a user namespace there may be root alone.
func users() error {
	text, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		var first, outer, count int
		if _, err := fmt.Sscan(line, &first, &outer, &count); err != nil {
			return err
		}
		if first <= imageUser && imageUser < first+count {
			return nil
		}
	}
	return fmt.Errorf("there is no user %d, as whom containers run, in this user namespace: run as root", imageUser)
}

// ip runs commands of iproute2, one after another.
func ip(commands ...string) error {
	command := exec.Command("ip", "-batch", "-")
	command.Stdin = strings.NewReader(strings.Join(commands, "\n"))
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Run(); err != nil {
		return fmt.Errorf("ip %q: %w: %s", commands, err, said.String())
	}
	return nil
}

// number hands out numbers, each once.
func (machine *Machine) number() int {
	machine.lock.Lock()
	defer machine.lock.Unlock()
	machine.next++
	return machine.next
}
