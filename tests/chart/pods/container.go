package pods

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// Container is a process in the root of an image.
type Container struct {
	Name string
	Spec Spec
	// Began is when its command was started.
	Began time.Time

	process *exec.Cmd
	log     string
	ended   chan struct{}
}

// Start starts a container from the root of an image. It ends with the test at the latest.
func (machine *Machine) Start(t testing.TB, name, image string, spec Spec) *Container {
	t.Helper()
	number := machine.number()
	folder := filepath.Join(machine.Folder, fmt.Sprintf("%s-%d", name, number))
	spec.Root = filepath.Join(folder, "root")
	spec.Address = fmt.Sprintf("10.88.%d.%d", 1+number/250, 1+number%250)
	container := &Container{Name: name, log: filepath.Join(folder, "log"), ended: make(chan struct{})}
	if err := errors.Join(os.Mkdir(folder, 0o755), prepare(image, &spec)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	container.Spec = spec
	if err := container.start(number); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	t.Cleanup(func() {
		_ = container.process.Process.Kill()
		<-container.ended
		if t.Failed() {
			t.Logf("%s ended with %d; the end of its log:\n%s", name, container.Code(), tail(container.Log()))
		}
	})
	return container
}

// prepare makes the root of one container: that of the image, whose files are shared, and a place for each mount.
func prepare(image string, spec *Spec) error {
	if said, err := exec.Command("cp", "-al", image, spec.Root).CombinedOutput(); err != nil {
		return fmt.Errorf("cp: %w: %s", err, said)
	}
	places := []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
	if err := os.MkdirAll(filepath.Join(spec.Root, "proc"), 0o755); err != nil {
		return err
	}
	for _, mount := range spec.Mounts {
		about, err := os.Stat(mount.From)
		if err != nil {
			return err
		}
		if !about.IsDir() {
			places = append(places, mount.To)
		} else if err := os.MkdirAll(filepath.Join(spec.Root, mount.To), 0o755); err != nil {
			return err
		}
	}
	for _, place := range places {
		at := filepath.Join(spec.Root, place)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, nil, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// start starts the process, gives it its end of a cable, and tells it what it is.
func (container *Container) start(number int) error {
	log, err := os.Create(container.log)
	if err != nil {
		return err
	}
	defer log.Close()
	told, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	defer told.Close()
	defer tell.Close()
	container.process = exec.Command("/proc/self/exe")
	container.process.Args = []string{containerWord}
	container.process.Stdout, container.process.Stderr = log, log
	container.process.ExtraFiles = []*os.File{told}
	container.process.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC,
	}
	if err := container.process.Start(); err != nil {
		return err
	}
	go func() {
		_ = container.process.Wait()
		close(container.ended)
	}()
	err = ip(
		fmt.Sprintf("link add pod%d type veth peer name eth0 netns %d", number, container.Pid()),
		fmt.Sprintf("link set pod%d master pods up", number),
	)
	if err == nil {
		container.Began = time.Now()
		err = json.NewEncoder(tell).Encode(container.Spec)
	}
	if err != nil {
		_ = container.process.Process.Kill()
		<-container.ended
		return fmt.Errorf("%w: %s", err, container.Log())
	}
	return nil
}

// Pid is its number on the machine; in the container it is 1.
func (container *Container) Pid() int {
	return container.process.Process.Pid
}

// Log is everything that it said.
func (container *Container) Log() string {
	text, err := os.ReadFile(container.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Ended says whether it has ended.
func (container *Container) Ended() bool {
	select {
	case <-container.ended:
		return true
	default:
		return false
	}
}

// Code is its exit code once it has ended: -1 when a signal ended it.
func (container *Container) Code() int {
	<-container.ended
	return container.process.ProcessState.ExitCode()
}

// Finish waits until it ends by itself and returns its exit code.
func (container *Container) Finish(t testing.TB, patience time.Duration) int {
	t.Helper()
	select {
	case <-container.ended:
	case <-time.After(patience):
		t.Fatalf("%s does not end within %s:\n%s", container.Name, patience, tail(container.Log()))
	}
	return container.Code()
}

// Stop stops it as a runtime does: it is asked to, and killed when the grace is over. It says whether that was
// necessary.
func (container *Container) Stop(grace time.Duration) (killed bool) {
	_ = container.process.Process.Signal(syscall.SIGTERM)
	select {
	case <-container.ended:
		return false
	case <-time.After(grace):
		_ = container.process.Process.Kill()
		<-container.ended
		return true
	}
}

// Exec runs a command in it, as its user, and returns what that said.
func (container *Container) Exec(ctx context.Context, command ...string) (string, error) {
	args := []string{
		"--target", strconv.Itoa(container.Pid()), "--mount", "--net", "--pid", "--ipc", "--wd",
		"--setuid", strconv.Itoa(container.Spec.User), "--setgid", strconv.Itoa(container.Spec.Group), "--",
	}
	process := exec.CommandContext(ctx, "nsenter", append(args, command...)...)
	process.Env = container.Spec.Env
	var said bytes.Buffer
	process.Stdout, process.Stderr = &said, &said
	if err := process.Run(); err != nil {
		return said.String(), fmt.Errorf("%q: %w: %s", command, err, said.String())
	}
	return said.String(), nil
}

// tail is the end of a text.
func tail(text string) string {
	const most = 3000
	if len(text) > most {
		return "…" + text[len(text)-most:]
	}
	return text
}
