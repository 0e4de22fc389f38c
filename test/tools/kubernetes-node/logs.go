package main

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

var errEnough = errors.New("enough")

// logs writes the output of a container according to the options of `kubectl logs`.
func (k *kubelet) logs(response http.ResponseWriter, request *http.Request) {
	query := request.URL.Query()
	if query.Get("previous") == "true" {
		http.Error(response, "previous terminated container not found", http.StatusBadRequest)
		return
	}
	program := k.containers.get(podOf(request), request.PathValue("container"))
	lines, last, _, _ := program.from(0)
	first := last - len(lines)
	if seconds, err := strconv.Atoi(query.Get("sinceSeconds")); err == nil {
		since := time.Now().Add(-time.Duration(seconds) * time.Second)
		for _, line := range lines {
			if line.at.Before(since) {
				first++
			}
		}
	}
	if tail, err := strconv.Atoi(query.Get("tailLines")); err == nil {
		first = max(first, last-tail)
	}
	left, err := strconv.Atoi(query.Get("limitBytes"))
	limited := err == nil
	flush := func() { http.NewResponseController(response).Flush() }
	response.Header().Set("Content-Type", "text/plain; charset=utf-8")
	response.WriteHeader(http.StatusOK)
	flush()

	follow := query.Get("follow") == "true"
	take := func(line logLine) error {
		text := line.shown(query.Get("timestamps") == "true")
		if limited && len(text) > left {
			text = text[:left]
		}
		left -= len(text)
		if _, err := io.WriteString(response, text); err != nil {
			return err
		}
		if limited && left <= 0 {
			return errEnough
		}
		if follow {
			flush()
		}
		return nil
	}
	if follow {
		program.follow(request.Context(), first, take)
		return
	}
	for _, line := range lines[len(lines)-(last-first):] {
		if take(line) != nil {
			return
		}
	}
}
