package pods

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// health is what the probes of a pod have found.
type health struct {
	lock    sync.Mutex
	started bool
	ready   bool
	doomed  string
	last    string
	// checked is how often the liveness probe has been answered, well or badly.
	checked int
}

// Started says whether the startup probe has passed.
func (pod *Pod) Started() bool { return pod.found(func(found *health) bool { return found.started }) }

// Ready says whether the pod would be sent requests, and count as rolled out.
func (pod *Pod) Ready() bool { return pod.found(func(found *health) bool { return found.ready }) }

// Doomed is why a node would have started the container anew, or nothing.
func (pod *Pod) Doomed() (why string) {
	pod.found(func(found *health) bool { why = found.doomed; return true })
	return why
}

// Checked says how often the liveness probe has been answered, well or badly.
func (pod *Pod) Checked() (times int) {
	pod.found(func(found *health) bool { times = found.checked; return true })
	return times
}

// State is all of it in words.
func (pod *Pod) State() (state string) {
	pod.found(func(found *health) bool {
		state = fmt.Sprintf("%s: started %t, ready %t, ended %t, restart %q, the last probe: %s", pod.Owner,
			found.started, found.ready, pod.Ended(), found.doomed, found.last)
		return true
	})
	return state
}

func (pod *Pod) found(look func(*health) bool) bool {
	pod.health.lock.Lock()
	defer pod.health.lock.Unlock()
	return look(&pod.health)
}

// watch runs the three probes, each at its own pace, and the other two once the first has passed.
func (pod *Pod) watch(ctx context.Context, container corev1.Container) {
	started := make(chan struct{})
	begin := func(string) bool {
		pod.found(func(found *health) bool { found.started = true; return true })
		close(started)
		return false
	}
	doom := func(what string) func(string) bool {
		return func(why string) bool {
			pod.found(func(found *health) bool { found.doomed = what + ": " + why; return true })
			return false
		}
	}
	ready := func(is bool) func(string) bool {
		return func(string) bool {
			pod.found(func(found *health) bool { found.ready = is; return true })
			return true
		}
	}
	alive := func(string) bool { return true }
	if container.StartupProbe == nil {
		begin("")
	} else {
		go pod.probe(ctx, container, container.StartupProbe, begin, doom("startup"))
	}
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-started:
		}
		if container.LivenessProbe != nil {
			go pod.probe(ctx, container, container.LivenessProbe, alive, doom("liveness"))
		}
		if container.ReadinessProbe == nil {
			ready(true)("")
		} else {
			go pod.probe(ctx, container, container.ReadinessProbe, ready(true), ready(false))
		}
	}()
}

// probe asks again and again, and says so when it was answered well or badly as often in a row as it takes. It goes on
// as long as it is told to. Numbers that are not given are Kubernetes' own.
func (pod *Pod) probe(ctx context.Context, container corev1.Container, probe *corev1.Probe, well, badly func(string) bool) {
	period := seconds(probe.PeriodSeconds, 10)
	goods, bads := int32(0), int32(0)
	wait := time.Until(pod.Began.Add(seconds(probe.InitialDelaySeconds, 0)))
	for {
		select {
		case <-ctx.Done():
			return
		case <-pod.ended:
			return
		case <-time.After(wait):
		}
		began := time.Now()
		err := pod.ask(ctx, container, probe)
		pod.found(func(found *health) bool {
			found.last = fmt.Sprint(err)
			if probe == container.LivenessProbe {
				found.checked++
			}
			return true
		})
		goesOn := true
		if err == nil {
			goods, bads = goods+1, 0
			if goods >= max(probe.SuccessThreshold, 1) {
				goesOn = well("")
			}
		} else {
			goods, bads = 0, bads+1
			if bads >= orElse(probe.FailureThreshold, 3) {
				goesOn = badly(err.Error())
			}
		}
		if !goesOn {
			return
		}
		wait = time.Until(began.Add(period))
	}
}

// ask asks once.
func (pod *Pod) ask(ctx context.Context, container corev1.Container, probe *corev1.Probe) error {
	patience := seconds(probe.TimeoutSeconds, 1)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if probe.Exec != nil {
		_, err := pod.Exec(ctx, probe.Exec.Command...)
		return err
	}
	if probe.HTTPGet == nil {
		return fmt.Errorf("this test does not know what to do with the probe %v", probe)
	}
	port := probe.HTTPGet.Port.IntValue()
	for _, named := range container.Ports {
		if named.Name == probe.HTTPGet.Port.String() {
			port = int(named.ContainerPort)
		}
	}
	url := fmt.Sprintf("http://%s%s", net.JoinHostPort(pod.Spec.Address, fmt.Sprint(port)), probe.HTTPGet.Path)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	// Each probe has a connection of its own.
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode >= 400 {
		return fmt.Errorf("GET %s: %s", url, response.Status)
	}
	return nil
}

func seconds(said, usual int32) time.Duration {
	return time.Duration(orElse(said, usual)) * time.Second
}

func orElse(said, usual int32) int32 {
	if said == 0 {
		return usual
	}
	return said
}
