package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// entry is an event as received on the wire.
type entry struct {
	Type    string
	Name    string
	UID     string
	Version int64
	Parity  string
}

// watchLog records every event of a resource over plain HTTP, without client-go in between. After a stream ends, it
// resumes from the last version that it has seen.
type watchLog struct {
	client *http.Client
	url    string
	query  url.Values
	// each is the requested duration of one stream; 0 leaves it to the server.
	each time.Duration
	// cut is the number of events after which the log closes the stream; 0 for never.
	cut int
	// hungUp is called when the log has closed the stream, to close the connection as well.
	hungUp func()

	entries []entry
	streams int
	reached int64
}

func newWatchLog(t *testing.T, loaded *rest.Config, path string, selector string, from int64) *watchLog {
	t.Helper()
	client, err := rest.HTTPClientFor(loaded)
	if err != nil {
		t.Fatal(err)
	}
	query := url.Values{"watch": {"1"}, "allowWatchBookmarks": {"true"}}
	if selector != "" {
		query.Set("labelSelector", selector)
	}
	return &watchLog{client: client, url: loaded.Host + path, query: query, reached: from}
}

// expiredError reports that the server has dropped the history after the requested version.
type expiredError struct{ message string }

func (e expiredError) Error() string { return e.message }

// until records events until an object of that name has been seen.
func (log *watchLog) until(ctx context.Context, last string) error {
	for len(log.entries) == 0 || log.entries[len(log.entries)-1].Name != last {
		if err := log.stream(ctx, last); err != nil {
			return fmt.Errorf("after version %d in stream %d: %w", log.reached, log.streams, err)
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s has not come by version %d: %w", last, log.reached, err)
		}
	}
	return nil
}

func (log *watchLog) stream(ctx context.Context, last string) error {
	log.streams++
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	log.query.Set("resourceVersion", strconv.FormatInt(log.reached, 10))
	if log.each > 0 {
		log.query.Set("timeoutSeconds", strconv.Itoa(int(log.each.Seconds())))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, log.url+"?"+log.query.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := log.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", response.Status)
	}
	decoder := json.NewDecoder(response.Body)
	for events := 0; log.cut == 0 || events < log.cut; events++ {
		var event struct {
			Type   string `json:"type"`
			Object struct {
				metav1.ObjectMeta `json:"metadata"`
				Code              int    `json:"code"`
				Message           string `json:"message"`
			} `json:"object"`
		}
		if decoder.Decode(&event) != nil {
			return nil // the stream has ended: an incomplete line is not an event
		}
		if event.Type == "ERROR" {
			if event.Object.Code == http.StatusGone {
				return expiredError{event.Object.Message}
			}
			return fmt.Errorf("ERROR %d: %s", event.Object.Code, event.Object.Message)
		}
		if err := log.take(event.Type, &event.Object.ObjectMeta); err != nil {
			return err
		}
		if event.Object.Name == last {
			return nil
		}
	}
	if log.hungUp != nil {
		log.hungUp()
	}
	return nil
}

// take refuses an event that is not newer than all events before it: this proves the order, and that no event is
// delivered twice.
func (log *watchLog) take(kind string, object *metav1.ObjectMeta) error {
	version, err := strconv.ParseInt(object.ResourceVersion, 10, 64)
	if err != nil {
		return fmt.Errorf("%s without a version: %w", kind, err)
	}
	if kind == "BOOKMARK" {
		if version < log.reached {
			return fmt.Errorf("a bookmark for %d came after %d", version, log.reached)
		}
	} else {
		if version <= log.reached {
			return fmt.Errorf("%s %s at %d came after %d", kind, object.Name, version, log.reached)
		}
		log.entries = append(log.entries, entry{kind, object.Name, string(object.UID), version, object.Labels["parity"]})
	}
	log.reached = version
	return nil
}
