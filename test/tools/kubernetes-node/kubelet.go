package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/cert"
	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

const idleTimeout = 4 * time.Hour

// kubelet serves the requests that kube-apiserver sends to a node for exec, attach, logs and port-forward.
type kubelet struct {
	containers *containers
	routes     *routeFolder
}

// serveKubelet listens on a free loopback port and accepts only client certificates of that authority.
func serveKubelet(ctx context.Context, clientAuthority string, k *kubelet) (int, error) {
	text, err := os.ReadFile(clientAuthority)
	if err != nil {
		return 0, err
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(text) {
		return 0, fmt.Errorf("there is no certificate in %s", clientAuthority)
	}
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return 0, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return 0, err
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{pair},
		ClientCAs:    authorities,
		ClientAuth:   tls.RequireAndVerifyClientCert,
	})
	if err != nil {
		return 0, err
	}
	server := &http.Server{Handler: k.handler()}
	go server.Serve(listener)
	context.AfterFunc(ctx, func() { server.Close() })
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (k *kubelet) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", k.exec)
	mux.HandleFunc("/attach/{namespace}/{pod}/{container}", k.attach)
	mux.HandleFunc("/portForward/{namespace}/{pod}", k.portForward)
	mux.HandleFunc("/containerLogs/{namespace}/{pod}/{container}", k.logs)
	return mux
}

func podOf(request *http.Request) types.NamespacedName {
	return types.NamespacedName{Namespace: request.PathValue("namespace"), Name: request.PathValue("pod")}
}

func (k *kubelet) exec(response http.ResponseWriter, request *http.Request) {
	options, err := remotecommand.NewOptions(request)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	remotecommand.ServeExec(response, request, executor{}, podOf(request).String(), "", request.PathValue("container"),
		request.Form["command"], options, idleTimeout, remotecommand.DefaultStreamCreationTimeout,
		remotecommand.SupportedStreamingProtocols)
}

func (k *kubelet) attach(response http.ResponseWriter, request *http.Request) {
	options, err := remotecommand.NewOptions(request)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	program := attached{k.containers.get(podOf(request), request.PathValue("container"))}
	remotecommand.ServeAttach(response, request, program, podOf(request).String(), "", request.PathValue("container"),
		options, idleTimeout, remotecommand.DefaultStreamCreationTimeout, remotecommand.SupportedStreamingProtocols)
}

func (k *kubelet) portForward(response http.ResponseWriter, request *http.Request) {
	options, err := portforward.NewV4Options(request)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	forwarder := forwarder{pod: podOf(request), routes: k.routes}
	portforward.ServePortForward(response, request, forwarder, podOf(request).String(), "", options, idleTimeout,
		remotecommand.DefaultStreamCreationTimeout, portforward.SupportedProtocols)
}
