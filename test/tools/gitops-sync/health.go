package main

import (
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const healthPrefix = "resource.customizations.health."

// healthChecks are the Lua health checks of Argo CD's ConfigMap argocd-cm, by `<group>_<kind>`.
type healthChecks map[string]string

func readHealthChecks(file string) (healthChecks, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	objects, err := kube.SplitYAML(text)
	if err != nil || len(objects) != 1 {
		return nil, fmt.Errorf("%s must contain one ConfigMap: %w", file, err)
	}
	data, _, err := unstructured.NestedStringMap(objects[0].Object, "data")
	if err != nil {
		return nil, err
	}
	checks := healthChecks{}
	for key, script := range data {
		if len(key) > len(healthPrefix) && key[:len(healthPrefix)] == healthPrefix {
			checks[key[len(healthPrefix):]] = script
		}
	}
	return checks, nil
}

// GetResourceHealth implements health.HealthOverride as Argo CD does: the script reads `obj` and returns a table.
func (checks healthChecks) GetResourceHealth(object *unstructured.Unstructured) (*health.HealthStatus, error) {
	kind := object.GroupVersionKind()
	script, found := checks[kind.Group+"_"+kind.Kind]
	if !found {
		return nil, nil
	}
	state := lua.NewState()
	defer state.Close()
	state.SetGlobal("obj", toLua(state, object.Object))
	if err := state.DoString(script); err != nil {
		return nil, err
	}
	result, isTable := state.Get(-1).(*lua.LTable)
	if !isTable {
		return nil, fmt.Errorf("the health check of %s returned no table", kind.Kind)
	}
	return &health.HealthStatus{
		Status:  health.HealthStatusCode(lua.LVAsString(result.RawGetString("status"))),
		Message: lua.LVAsString(result.RawGetString("message")),
	}, nil
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch typed := value.(type) {
	case map[string]any:
		table := state.NewTable()
		for key, member := range typed {
			table.RawSetString(key, toLua(state, member))
		}
		return table
	case []any:
		table := state.NewTable()
		for _, item := range typed {
			table.Append(toLua(state, item))
		}
		return table
	case string:
		return lua.LString(typed)
	case bool:
		return lua.LBool(typed)
	case int64:
		return lua.LNumber(typed)
	case float64:
		return lua.LNumber(typed)
	default:
		return lua.LNil
	}
}
