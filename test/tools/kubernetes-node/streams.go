package main

import (
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// executor runs the command as a process of this machine.
type executor struct{}

func (executor) ExecInContainer(
	ctx context.Context, pod, uid, container string, words []string, in io.Reader, out, failures io.WriteCloser, tty bool,
	resize <-chan remotecommand.TerminalSize, timeout time.Duration,
) error {
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Env = append(command.Environ(), "POD="+pod, "CONTAINER="+container)
	// The stream ends when the process exits, even if its input stays open.
	command.WaitDelay = 100 * time.Millisecond
	if in != nil {
		command.Stdin = in
	}
	if out != nil {
		command.Stdout = out
	}
	if failures != nil {
		command.Stderr = failures
	} else if tty {
		command.Stderr = out
	}
	err := command.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return utilexec.CodeExitError{Err: err, Code: exit.ExitCode()}
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

// attached connects a client to a container's own input and output.
type attached struct{ container *container }

func (a attached) AttachContainer(
	ctx context.Context, pod, uid, name string, in io.Reader, out, failures io.WriteCloser, tty bool,
	resize <-chan remotecommand.TerminalSize,
) error {
	_, now, _, _ := a.container.from(0)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if in != nil {
		go func() {
			io.Copy(a.container, in)
			stop()
		}()
	}
	err := a.container.follow(ctx, now, func(line logLine) error {
		if out == nil {
			return nil
		}
		_, err := io.WriteString(out, line.text)
		return err
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// forwarder connects to the ports of one pod.
type forwarder struct {
	pod    types.NamespacedName
	routes *routeFolder
}

func (f forwarder) PortForward(ctx context.Context, _, uid string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	dialer := net.Dialer{Timeout: 10 * time.Second}
	connection, err := dialer.DialContext(ctx, "tcp", f.routes.address(f.pod.Namespace, f.pod.Name, port))
	if err != nil {
		return err
	}
	defer connection.Close()
	fromPod := make(chan struct{})
	go func() {
		defer close(fromPod)
		io.Copy(stream, connection)
	}()
	toPod := make(chan struct{})
	go func() {
		defer close(toPod)
		io.Copy(connection, stream)
		connection.(*net.TCPConn).CloseWrite()
	}()
	// The forward ends when the pod closes its side. The client's half-close does not end it: a response may still follow.
	select {
	case <-fromPod:
	case <-ctx.Done():
	}
	return nil
}
