{{/* Rejects values that are valid by themselves, but not together. The message names the value and what to do. */}}
{{- define "flotilla.validate" -}}
{{- with .Values -}}
{{- $isEtcd := eq .store.type "etcd" -}}
{{- if and (gt (int .replicas) 1) (not $isEtcd) -}}
{{- fail (printf "replicas: %d servers need a shared store; set store.type=etcd and store.etcd.endpoints" (int .replicas)) -}}
{{- end -}}
{{- if and $isEtcd (not .store.etcd.endpoints) -}}
{{- fail "store.etcd.endpoints: required if store.type is etcd" -}}
{{- end -}}
{{- if ne (empty .store.etcd.username) (empty .store.etcd.passwordSecret) -}}
{{- fail "store.etcd.username and store.etcd.passwordSecret must be set together" -}}
{{- end -}}
{{- if and $isEtcd (gt (int .replicas) 1) (not .encryption.sealKeySecret) (not (dig "encryption" "kms" "" .config)) -}}
{{- fail "encryption.sealKeySecret: required for more than one server, because all servers need the same seal key; README.md shows how to create the Secret" -}}
{{- end -}}
{{- if and .persistence.existingClaim (gt (int .replicas) 1) -}}
{{- fail "persistence.existingClaim: several servers cannot share a volume; remove it, or set replicas=1" -}}
{{- end -}}
{{- if and .persistence.existingClaim (not .persistence.enabled) -}}
{{- fail "persistence.existingClaim: needs persistence.enabled=true" -}}
{{- end -}}
{{- if and .ingress.enabled (not .ingress.host) -}}
{{- fail "ingress.host: required if ingress.enabled is true" -}}
{{- end -}}
{{- range $route := list "tlsRoute" "httpRoute" -}}
{{- if and (get (get $.Values.gateway $route) "enabled") (or (not $.Values.gateway.parentRefs) (not $.Values.gateway.hostnames)) -}}
{{- fail (printf "gateway.parentRefs and gateway.hostnames: required if gateway.%s.enabled is true" $route) -}}
{{- end -}}
{{- end -}}
{{- if and .tls.certManager.enabled (not .tls.certManager.issuerRef.name) -}}
{{- fail "tls.certManager.issuerRef.name: required if tls.certManager.enabled is true" -}}
{{- end -}}
{{- if and .serviceMonitor.enabled (not .serviceMonitor.accessKeySecret) -}}
{{- fail "serviceMonitor.accessKeySecret: required if serviceMonitor.enabled is true, because only admins and auditors may read /metrics" -}}
{{- end -}}
{{- if lt (int .terminationGracePeriodSeconds) (add 10 (int .preStopSleepSeconds)) -}}
{{- fail (printf "terminationGracePeriodSeconds: must be at least %d: 10 seconds for the server to stop, and preStopSleepSeconds" (add 10 (int .preStopSleepSeconds))) -}}
{{- end -}}
{{- $setByChart := dict "dataDir" "" "data-dir" "" "listen" "listenAddress" "externalUrl" "externalUrl" "external-url" "externalUrl"
  "tlsCertFile" "tls.secretName" "tlsKeyFile" "tls.secretName" "tlsSan" "tls.additionalNames" "store" "store.type"
  "etcdPrefix" "store.etcd.prefix" "etcdCaFile" "store.etcd.caSecret" "etcdCertFile" "store.etcd.clientSecret"
  "etcdKeyFile" "store.etcd.clientSecret" "etcdUsername" "store.etcd.username" "etcdPasswordFile" "store.etcd.passwordSecret"
  "peerListen" "" "sealKeyFile" "encryption.sealKeySecret" -}}
{{- range $name, $value := $setByChart -}}
{{- if hasKey $.Values.config $name -}}
{{- fail (printf "config.%s: the chart sets it%s" $name (ternary "; remove it" (printf "; use the value %s" $value) (empty $value))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
