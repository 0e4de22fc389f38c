package endpoint

// The default driver of a vCluster. The other drivers, of NATS above all, take longer to build than the rest of kine.
import _ "github.com/k3s-io/kine/pkg/drivers/sqlite"
