// Prints objects of Kubernetes' kinds as Go encodes them: one JSON line per object, with its JSON and its protobuf
// bytes. The arguments are kinds with their API versions, such as apps/v1/Deployment.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	certificates "k8s.io/api/certificates/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	networking "k8s.io/api/networking/v1"
	node "k8s.io/api/node/v1"
	policy "k8s.io/api/policy/v1"
	dynamicresource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type fixture struct {
	Name     string `json:"name"`
	Protobuf []byte `json:"protobuf"`
	JSON     string `json:"json"`
}

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistration.AddToScheme, apiregistration.AddToScheme, apps.AddToScheme, autoscaling.AddToScheme,
		autoscalingv2.AddToScheme, batch.AddToScheme, certificates.AddToScheme, core.AddToScheme, discovery.AddToScheme,
		dynamicresource.AddToScheme, flowcontrol.AddToScheme, networking.AddToScheme, node.AddToScheme, policy.AddToScheme,
		scheduling.AddToScheme, storage.AddToScheme,
	} {
		check(add(scheme))
	}
	serializer := protobuf.NewSerializer(scheme, scheme)
	filler := &filler{filled: map[reflect.Type]bool{}}
	for _, argument := range os.Args[1:] {
		at := strings.LastIndex(argument, "/")
		kind := schema.FromAPIVersionAndKind(argument[:at], argument[at+1:])
		for _, form := range []string{"empty", "filled"} {
			object, err := scheme.New(kind)
			check(err)
			if form == "filled" {
				filler.fill(reflect.ValueOf(object).Elem(), "")
			}
			object.GetObjectKind().SetGroupVersionKind(kind)
			print(serializer, object, argument+", "+form)
		}
	}
}

func print(serializer runtime.Serializer, object runtime.Object, name string) {
	encoded, err := json.Marshal(object)
	check(err)
	var raw bytes.Buffer
	check(serializer.Encode(object, &raw))
	line, err := json.Marshal(fixture{Name: name, Protobuf: raw.Bytes(), JSON: string(encoded)})
	check(err)
	fmt.Println(string(line))
}

// filler sets all fields. It fills a struct type only once, so that the objects together contain every field once.
// Later values of the type are empty, which shows how Go prints empty structs inside others.
type filler struct {
	filled map[reflect.Type]bool
	count  int64
}

var instant = time.Date(2026, 8, 20, 10, 0, 0, 123456000, time.UTC)

func (f *filler) fill(value reflect.Value, name string) {
	f.count++
	switch typed := value.Addr().Interface().(type) {
	case *meta.Time:
		*typed = meta.NewTime(instant.Truncate(time.Second))
		return
	case *meta.MicroTime:
		*typed = meta.NewMicroTime(instant)
		return
	case *meta.FieldsV1:
		typed.Raw = []byte(`{"f:spec":{}}`)
		return
	case *meta.TypeMeta:
		return
	case *resource.Quantity:
		*typed = resource.MustParse("1500m")
		return
	case *intstr.IntOrString:
		if f.count%2 == 0 {
			*typed = intstr.FromString("25%")
		} else {
			*typed = intstr.FromInt32(int32(f.count))
		}
		return
	case *runtime.RawExtension:
		typed.Raw = []byte(`{"raw":[1,"two"]}`)
		return
	}
	f.fillKind(value, name)
}

func (f *filler) fillKind(value reflect.Value, name string) {
	switch value.Kind() {
	case reflect.Struct:
		if f.filled[value.Type()] {
			return
		}
		f.filled[value.Type()] = true
		for at := range value.NumField() {
			if field := value.Field(at); field.CanSet() {
				f.fill(field, strings.ToLower(value.Type().Field(at).Name))
			}
		}
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		f.fill(value.Elem(), name)
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			value.SetBytes([]byte(name))
			return
		}
		// The second item is empty.
		value.Set(reflect.MakeSlice(value.Type(), 2, 2))
		f.fill(value.Index(0), name)
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		for _, key := range []string{"b", "a/c"} {
			item := reflect.New(value.Type().Elem()).Elem()
			f.fill(item, name)
			value.SetMapIndex(reflect.ValueOf(key).Convert(value.Type().Key()), item)
		}
	case reflect.String:
		value.SetString(name)
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int32, reflect.Int64, reflect.Int:
		value.SetInt(f.count)
	default:
		panic(fmt.Sprintf("%s has the kind %s, which is not supported", name, value.Kind()))
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
