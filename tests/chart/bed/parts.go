package bed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"argosy/tests/chart/tools"
)

// part is a running program of the control plane.
type part struct {
	name, log string
	command   *exec.Cmd
	done      chan struct{}
	stopping  sync.Once
}

// run starts a part; kwok is a program of its own, the others are in `cluster`.
func (bed *Bed) run(name string, flags ...string) error {
	program, args := "cluster", append([]string{name}, flags...)
	if name == "kwok" {
		program, args = name, flags
	}
	path, err := tools.Path(program)
	if err != nil {
		return err
	}
	log := filepath.Join(bed.Folder, name+".log")
	file, err := os.Create(log)
	if err != nil {
		return err
	}
	defer file.Close()
	started := &part{name: name, log: log, command: exec.Command(path, args...), done: make(chan struct{})}
	started.command.Dir = bed.Folder
	started.command.Stdout, started.command.Stderr = file, file
	if err := started.command.Start(); err != nil {
		return err
	}
	go func() {
		// How it ended stands in ProcessState.
		_ = started.command.Wait()
		close(started.done)
	}()
	bed.parts = append(bed.parts, started)
	return nil
}

// ended says how a part ended that should run, with the end of its log.
func (part *part) ended() error {
	select {
	case <-part.done:
	default:
		return nil
	}
	text, _ := os.ReadFile(part.log)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	last := strings.Join(lines[max(0, len(lines)-5):], "\n")
	return fmt.Errorf("%s has ended (%s):\n%s", part.name, part.command.ProcessState, last)
}

// stop ends a part at once: nothing that it holds is needed again.
func (part *part) stop() {
	part.stopping.Do(func() {
		_ = part.command.Process.Kill()
		<-part.done
	})
}
