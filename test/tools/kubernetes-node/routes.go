package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// routeFolder resolves the ports of pods to addresses. The folder is read on every use: routes change while the node
// runs.
type routeFolder struct{ path string }

func (routes *routeFolder) has(namespace, pod string, port int32) bool {
	_, err := os.Stat(routes.file(namespace, pod, port))
	return err == nil
}

func (routes *routeFolder) address(namespace, pod string, port int32) string {
	if text, err := os.ReadFile(routes.file(namespace, pod, port)); err == nil {
		return strings.TrimSpace(string(text))
	}
	return fmt.Sprintf("127.0.0.1:%d", port)
}

func (routes *routeFolder) file(namespace, pod string, port int32) string {
	return filepath.Join(routes.path, fmt.Sprintf("%s.%s.%d", namespace, pod, port))
}
