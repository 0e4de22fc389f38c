{{/* The flags of flotilla agent, as a list. */}}
{{- define "flotilla-agent.args" -}}
- agent
{{- with .Values.server.url }}
- --management={{ . }}
{{- end }}
{{- if .Values.server.caCertificate }}
- --ca-file=/etc/flotilla/server-ca/ca.crt
{{- end }}
{{- if (.Values.proxy).urlSecret }}
- --proxy-url-file=/etc/flotilla/proxy/proxy-url
{{- end }}
{{- with (.Values.proxy).url }}
- --proxy-url={{ . }}
{{- end }}
{{- with .Values.cluster }}
- --cluster={{ . }}
{{- end }}
{{- if include "flotilla-agent.joinTokenSecret" . }}
- --join-token-file=/etc/flotilla/join-token/join-token
{{- else }}
- --access-key-file=/etc/flotilla/access-key/access-key
{{- end }}
- --data-dir=/data
- --listen={{ .Values.listenAddress }}:8444
{{- if .Values.tunnel }}
- --tunnel
{{- end }}
{{- if or (not .Values.tunnel) .Values.externalUrl .Values.ingress.enabled }}
- --external-url={{ include "flotilla-agent.externalUrl" . }}
{{- end }}
{{- with .Values.server.apiPrefix }}
- --api-prefix={{ . }}
{{- end }}
- --max-policy-age={{ .Values.maxPolicyAge }}
- --log-level={{ .Values.logLevel }}
{{- if .Values.builtIn }}
- --built-in
{{- end }}
{{- if .Values.readOnly }}
- --read-only
{{- end }}
- --helm-release={{ .Release.Namespace }}/{{ .Release.Name }}
{{- if .Values.tls.secretName }}
- --tls-cert-file=/etc/flotilla/tls/tls.crt
- --tls-key-file=/etc/flotilla/tls/tls.key
{{- else }}
{{- $host := include "flotilla-agent.serviceHost" . }}
{{- $names := list (include "flotilla-agent.fullname" .) (trimSuffix ".svc" $host) $host (printf "%s.cluster.local" $host) }}
{{- range concat $names .Values.tls.additionalNames }}
- --tls-san={{ . }}
{{- end }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* A probe. Takes a list: the path and the fields of the probe. */}}
{{- define "flotilla-agent.probe" -}}
httpGet:
  path: {{ index . 0 }}
  port: https
  scheme: HTTPS
{{ toYaml (index . 1) }}
{{- end -}}
