{{/* The flags of flotilla start, as a list. */}}
{{- define "flotilla.args" -}}
- start
- --data-dir=/data
- --listen={{ .Values.listenAddress }}:8443
- --config=/etc/flotilla/config/config.yaml
- --external-url={{ include "flotilla.externalUrl" . }}
{{- if include "flotilla.tlsSecret" . }}
- --tls-cert-file=/etc/flotilla/tls/tls.crt
- --tls-key-file=/etc/flotilla/tls/tls.key
{{- else }}
{{- $host := include "flotilla.serviceHost" . }}
{{- $names := list (include "flotilla.fullname" .) (trimSuffix ".svc" $host) $host (printf "%s.cluster.local" $host) }}
{{- range concat $names .Values.tls.additionalNames }}
- --tls-san={{ . }}
{{- end }}
{{- end }}
{{- if .Values.encryption.sealKeySecret }}
- --seal-key-file=/etc/flotilla/seal-key/seal.key
{{- end }}
{{- if eq .Values.store.type "etcd" }}
- --peer-listen={{ .Values.listenAddress }}:8445
{{- with .Values.store.etcd }}
- --store={{ join "," .endpoints }}
- --etcd-prefix={{ .prefix }}
{{- if .caSecret }}
- --etcd-ca-file=/etc/flotilla/etcd-ca/ca.crt
{{- end }}
{{- if .clientSecret }}
- --etcd-cert-file=/etc/flotilla/etcd-client/tls.crt
- --etcd-key-file=/etc/flotilla/etcd-client/tls.key
{{- end }}
{{- if .username }}
- --etcd-username={{ .username }}
- --etcd-password-file=/etc/flotilla/etcd-password/password
{{- end }}
{{- end }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* The Secrets that are mounted below /etc/flotilla, as a map from the folder to the name of the Secret. */}}
{{- define "flotilla.secretFolders" -}}
{{- $folders := dict -}}
{{- with include "flotilla.tlsSecret" . }}{{ $_ := set $folders "tls" . }}{{ end -}}
{{- with .Values.encryption.sealKeySecret }}{{ $_ := set $folders "seal-key" . }}{{ end -}}
{{- if eq .Values.store.type "etcd" -}}
{{- with .Values.store.etcd.caSecret }}{{ $_ := set $folders "etcd-ca" . }}{{ end -}}
{{- with .Values.store.etcd.clientSecret }}{{ $_ := set $folders "etcd-client" . }}{{ end -}}
{{- with .Values.store.etcd.passwordSecret }}{{ $_ := set $folders "etcd-password" . }}{{ end -}}
{{- end -}}
{{- range $name, $secret := .Values.secrets }}{{ $_ := set $folders (printf "secrets/%s" $name) $secret }}{{ end -}}
{{- toYaml $folders -}}
{{- end -}}

{{/* A probe. Takes a list: the path and the fields of the probe. */}}
{{- define "flotilla.probe" -}}
httpGet:
  path: {{ index . 0 }}
  port: https
  scheme: HTTPS
{{ toYaml (index . 1) }}
{{- end -}}

{{/* Several servers prefer different nodes. */}}
{{- define "flotilla.affinity" -}}
{{- if .Values.affinity -}}
{{- toYaml .Values.affinity -}}
{{- else if gt (int .Values.replicas) 1 -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "flotilla.selectorLabels" . | nindent 12 }}
{{- end -}}
{{- end -}}

{{- define "flotilla.topologySpreadConstraints" -}}
{{- $selector := dict "labelSelector" (dict "matchLabels" (fromYaml (include "flotilla.selectorLabels" .))) -}}
{{- range .Values.topologySpreadConstraints }}
- {{ merge (deepCopy .) $selector | toYaml | nindent 2 | trim }}
{{- end }}
{{- end -}}
