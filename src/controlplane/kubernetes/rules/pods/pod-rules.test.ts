import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../../../../api/field-error.ts';
import { kubernetesDefaults } from '../../defaults/kubernetes-defaults.ts';
import { kubernetesRules } from '../kubernetes-rules.ts';

const web = { name: 'web', image: 'nginx' };

/** Returns the errors of a pod template without `template.` in their paths. */
function templateProblems(template: JsonObject, old?: JsonObject): string[] {
  const [object, stored] = [template, old].map((given) => {
    const made: JsonObject = { template: structuredClone(given ?? {}) };
    kubernetesDefaults.apply('core.PodTemplate', made, 0);
    return made;
  });
  const errors = kubernetesRules.errorsOf('core.PodTemplate', object ?? {}, old === undefined ? undefined : stored);
  return errors.map((error) => describeFieldError(error).replace(/^template\./, ''));
}

function problems(spec: JsonObject): string[] {
  return templateProblems({ spec: { containers: [web], ...spec } }).map((line) => line.replace(/^spec\./, ''));
}

/** Returns the errors of a container without its path. */
function containerProblems(container: JsonObject, spec: JsonObject = {}): string[] {
  return problems({ containers: [{ ...web, ...container }], ...spec }).map((line) =>
    line.replace(/^containers\[0\]\./, ''),
  );
}

describe('the rules of pod templates', () => {
  it('accept a valid template', () => {
    const probe = { httpGet: { port: 'http' } };
    const container = {
      ...web,
      ports: [{ name: 'http', containerPort: 80 }],
      env: [
        { name: 'A', value: 'b' },
        { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
        { name: 'L', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a/b']" } } },
        { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
        { name: 'K', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } },
      ],
      envFrom: [{ prefix: 'P_', secretRef: { name: 's' } }],
      volumeMounts: [{ name: 'data', mountPath: '/data', subPath: 'a/b' }],
      livenessProbe: probe,
      lifecycle: { preStop: { sleep: { seconds: 5 } } },
      resources: { limits: { cpu: '1', 'hugepages-2Mi': '4Mi' }, requests: { cpu: '500m' } },
      securityContext: { runAsUser: 1000, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    };
    const sidecar = { name: 'side', image: 'x', restartPolicy: 'Always', startupProbe: { exec: { command: ['a'] } } };
    const term = { labelSelector: { matchLabels: { a: 'b' } }, topologyKey: 'zone', matchLabelKeys: ['v'] };
    const spec = {
      containers: [container],
      initContainers: [sidecar],
      volumes: [{ name: 'data' }],
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
      dnsConfig: { nameservers: ['10.0.0.1'], searches: ['_a.b.', '.'] },
      tolerations: [{ key: 'k', operator: 'Exists' }],
    };
    expect(templateProblems({ metadata: { labels: { a: 'b' } }, spec })).toEqual([]);
  });

  it('require a container', () => {
    expect(templateProblems({})).toEqual(['spec.containers: Required value']);
  });

  it('report wrong metadata and annotations', () => {
    const annotations = {
      'kubernetes.io/config.mirror': 'x',
      'scheduler.alpha.kubernetes.io/tolerations': '[{"operator":"x","key":"k"}]',
      'controller.kubernetes.io/pod-deletion-cost': '+1',
      'seccomp.security.alpha.kubernetes.io/pod': 'x',
      'container.apparmor.security.beta.kubernetes.io/none': 'x',
    };
    const metadata = { labels: { '-': 'a' }, annotations };
    expect(templateProblems({ metadata, spec: { containers: [web] } })).toEqual([
      expect.stringMatching(/^labels: Invalid value: "-": name part must consist of/),
      'annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
      'annotations.scheduler.alpha.kubernetes.io/tolerations[0].operator: Unsupported value: "x": supported values: "Equal", "Exists"',
      'annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
      'annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "x": must be a valid seccomp profile',
      'annotations[container.apparmor.security.beta.kubernetes.io/none]: Invalid value: "none": container not found',
      'annotations[container.apparmor.security.beta.kubernetes.io/none]: Invalid value: "x": invalid AppArmor profile name: "x"',
    ]);
  });

  it('compare profiles in annotations with those in fields', () => {
    const metadata = {
      annotations: {
        'container.seccomp.security.alpha.kubernetes.io/web': 'localhost/a',
        'container.apparmor.security.beta.kubernetes.io/web': 'unconfined',
      },
    };
    const securityContext = {
      seccompProfile: { type: 'Localhost', localhostProfile: 'b' },
      appArmorProfile: { type: 'RuntimeDefault' },
    };
    const spec = { containers: [{ ...web, securityContext }], ephemeralContainers: [{ name: 'debug', image: 'x' }] };
    expect(templateProblems({ metadata, spec })).toEqual([
      'spec.containers[0].securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match',
      'spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match',
      'spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
    ]);
  });

  it('accept another SELinux policy only if the stored template has one', () => {
    const withPolicy = (seLinuxChangePolicy: string) => ({
      spec: { containers: [web], securityContext: { seLinuxChangePolicy } },
    });
    const problem =
      'spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"';
    expect(templateProblems(withPolicy('MountOption'))).toEqual([problem]);
    expect(templateProblems(withPolicy('MountOption'), { spec: { containers: [web] } })).toEqual([problem]);
    expect(templateProblems(withPolicy('MountOption'), withPolicy('Recursive'))).toEqual([]);
  });
});

describe('the rules of containers', () => {
  it('report wrong names and policies', () => {
    const container = { name: 'a.b', image: '', terminationMessagePolicy: 'x', imagePullPolicy: 'y' };
    expect(containerProblems(container)).toEqual([
      'name: Invalid value: "a.b": must not contain dots',
      'image: Required value',
      'terminationMessagePolicy: Unsupported value: "x": supported values: "File", "FallbackToLogsOnError"',
      'imagePullPolicy: Unsupported value: "y": supported values: "Always", "IfNotPresent", "Never"',
    ]);
    expect(problems({ containers: [web, web], initContainers: [web, { name: 'i', image: 'x' }] })).toEqual([
      'containers[1].name: Duplicate value: "web"',
      'initContainers[0].name: Duplicate value: "web"',
    ]);
  });

  it('report wrong ports', () => {
    const ports = [
      { name: 'a', containerPort: 70000, protocol: 'x', hostPort: -1 },
      { name: 'a' },
      { containerPort: 80, hostPort: 80 },
      { containerPort: 81, hostPort: 80 },
    ];
    expect(containerProblems({ ports }, { hostNetwork: true })).toEqual([
      'ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      'ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive',
      'ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
      'ports[1].name: Duplicate value: "a"',
      'ports[1].containerPort: Required value',
      'ports[3].hostPort: Duplicate value: "TCP//80"',
      'ports[0].hostPort: Invalid value: -1: must match `containerPort` when `hostNetwork` is true',
      'ports[3].hostPort: Invalid value: 80: must match `containerPort` when `hostNetwork` is true',
    ]);
  });

  it('report wrong variables', () => {
    const reference = { fileKeyRef: { key: 'K', volumeName: 'v', path: '../x' } };
    const env = [
      { name: '' },
      { name: 'a=b', valueFrom: {} },
      { name: 'a', value: 'x', valueFrom: { fieldRef: { fieldPath: 'spec.host' } } },
      { name: 'b', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } },
      { name: 'c', valueFrom: { fieldRef: { fieldPath: "spec.nodeName['x']" } } },
      { name: 'd', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2' } } },
      { name: 'e', valueFrom: { resourceFieldRef: { resource: 'x' }, secretKeyRef: { name: 's', key: '..' } } },
      { name: 'f', valueFrom: reference },
    ];
    expect(containerProblems({ env, envFrom: [{}, { configMapRef: { name: 'a-' }, secretRef: {} }] })).toEqual([
      'env[0].name: Required value',
      'env[1].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
      'env[1].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      'env[2].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
      'env[3].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      "env[4].valueFrom.fieldRef.fieldPath: Invalid value: \"spec.nodeName['x']\": error converting fieldPath: field label does not support subscript: spec.nodeName['x']",
      'env[5].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
      'env[6].valueFrom.resourceFieldRef.resource: Unsupported value: "x": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
      'env[6].valueFrom.secretKeyRef.key: Invalid value: "..": must not be \'..\'',
      'env[6].valueFrom: Invalid value: "": may not have more than one field specified at a time',
      'env[7].valueFrom.fileKeyRef.path: Invalid value: "../x": must not contain \'..\'',
      'envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
      'envFrom[1].secretRef.name: Required value',
      'envFrom: Invalid value: "": may not have more than one field specified at a time',
      'env[7].valueFrom.fileKeyRef.volumeName: Not found: "v"',
    ]);
  });

  it('report mounts of volumes that do not exist', () => {
    const volumes = [
      { name: 'a' },
      { name: 'a' },
      { name: '' },
      { name: 'disk', persistentVolumeClaim: { claimName: 'd' } },
    ];
    const volumeMounts = [
      { name: 'a', mountPath: '/a', subPath: '/x', subPathExpr: '../y', mountPropagation: 'Bidirectional' },
      { name: 'none', mountPath: '/a', recursiveReadOnly: 'Enabled' },
      { name: 'disk', mountPath: '/dev/x' },
    ];
    const volumeDevices = [
      { name: 'a', devicePath: '/dev/y' },
      { name: 'disk', devicePath: '/dev/x' },
    ];
    expect(containerProblems({ volumeMounts, volumeDevices }, { volumes })).toEqual([
      'volumes[1].name: Duplicate value: "a"',
      'volumes[2].name: Required value',
      'volumeMounts[0].name: Invalid value: "a": must not already exist in volumeDevices',
      'volumeMounts.subPath: Invalid value: "/x": must be a relative path',
      'volumeMounts[0].subPathExpr: Invalid value: "../y": subPathExpr and subPath are mutually exclusive',
      'volumeMounts.subPathExpr: Invalid value: "../y": must not contain \'..\'',
      'volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
      'volumeMounts[1].name: Not found: "none"',
      'volumeMounts[1].mountPath: Invalid value: "/a": must be unique',
      'volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true',
      'volumeMounts[2].name: Invalid value: "disk": must not already exist in volumeDevices',
      'volumeMounts[2].mountPath: Invalid value: "/dev/x": must not already exist as a path in volumeDevices',
      'volumeDevices[0].name: Invalid value: "a": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      'volumeDevices[0].name: Invalid value: "a": must not already exist in volumeMounts',
      'volumeDevices[1].name: Invalid value: "disk": must not already exist in volumeMounts',
      'volumeDevices[1].devicePath: Invalid value: "/dev/x": must not already exist as a path in volumeMounts',
    ]);
  });

  it('report wrong probes and hooks', () => {
    const container = {
      livenessProbe: { successThreshold: 2, terminationGracePeriodSeconds: 0, grpc: { port: 0 } },
      readinessProbe: { terminationGracePeriodSeconds: 1, exec: {}, tcpSocket: { port: 1 } },
      startupProbe: { httpGet: { port: 'UP', scheme: 'x', httpHeaders: [{ name: 'a b' }] }, periodSeconds: -1 },
      lifecycle: { postStart: {}, preStop: { sleep: { seconds: 31 } } },
    };
    expect(containerProblems(container)).toEqual([
      'lifecycle.postStart: Required value: must specify a handler type',
      'lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
      'livenessProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0',
      'livenessProbe.successThreshold: Invalid value: 2: must be 1',
      'readinessProbe.exec.command: Required value',
      'readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type',
      'readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes',
      'startupProbe.httpGet.port: Invalid value: "UP": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'startupProbe.httpGet.port: Invalid value: "UP": must contain at least one letter (a-z)',
      'startupProbe.httpGet.scheme: Unsupported value: "x": supported values: "HTTP", "HTTPS"',
      expect.stringMatching(/^startupProbe\.httpGet\.httpHeaders: Invalid value: "a b": a valid HTTP header must/),
      'startupProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  it('report wrong restart policies of containers and init containers', () => {
    const restartPolicyRules = [{ action: 'x' }, { action: 'Restart', exitCodes: { operator: 'y' } }];
    const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
    const init = { name: 'i', image: 'x', resizePolicy, readinessProbe: {}, restartPolicyRules };
    const spec = { initContainers: [init], restartPolicy: 'Never' };
    expect(containerProblems({ restartPolicyRules, resizePolicy: [{ resourceName: 'x' }] }, spec)).toEqual([
      'resizePolicy: Unsupported value: "x": supported values: "cpu", "memory"',
      'resizePolicy: Required value',
      "resizePolicy: Invalid value: \"\": must be 'NotRequired' when pod `restartPolicy` is 'Never'",
      'restartPolicy: Required value: must specify restartPolicy when restart rules are used',
      'restartPolicyRules[0].action: Unsupported value: "x": supported values: "Restart", "RestartAllContainers"',
      'restartPolicyRules[0].exitCodes: Required value: must be specified',
      'restartPolicyRules[1].exitCodes.operator: Unsupported value: "y": supported values: "In", "NotIn"',
      "initContainers[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when pod `restartPolicy` is 'Never'",
      'initContainers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used',
      'initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
      'initContainers[0].resizePolicy[0].restartPolicy: Invalid value: "RestartContainer": must not be set to \'RestartContainer\' for non-sidecar initContainers',
    ]);
  });

  it('report wrong resources and claims', () => {
    const resources = {
      limits: { cpu: '1', 'hugepages-2Mi': '3Mi', pods: '1' },
      requests: { cpu: '2', 'example.com/gpu': '1' },
      claims: [{ name: 'a' }, { name: 'a', request: 'r' }, { name: '' }, { name: 'b' }],
    };
    const resourceClaims = [{ name: 'b', resourceClaimName: 'x', resourceClaimTemplateName: 'y' }, { name: 'b' }];
    expect(containerProblems({ resources }, { resourceClaims })).toEqual([
      'resourceClaims[0]: Invalid value: {"Name":"b","ResourceClaimName":"x","ResourceClaimTemplateName":"y"}: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
      'resourceClaims[1].name: Duplicate value: "b"',
      'resourceClaims[1]: Invalid value: {"Name":"b","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      'resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      'resources.limits[pods]: Invalid value: "pods": must be a standard resource for containers',
      'resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      'resources.limits: Required value: Limit must be set for non overcommitable resources',
      'resources.claims[0]: Not found: "a": must be one of the names in pod.spec.resourceClaims: b',
      'resources.claims[1]: Duplicate value: "a"',
      'resources.claims[1]: Not found: "a": must be one of the names in pod.spec.resourceClaims: b',
      'resources.claims[2]: Required value',
    ]);
  });

  it('report wrong security contexts', () => {
    const securityContext = {
      runAsUser: -1,
      procMount: 'Unmasked',
      privileged: true,
      allowPrivilegeEscalation: false,
      seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'a' },
      appArmorProfile: { type: 'Localhost', localhostProfile: ' a' },
      windowsOptions: { runAsUserName: 'a\\b:', gmsaCredentialSpec: '' },
    };
    expect(containerProblems({ securityContext })).toEqual([
      'securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
      'securityContext.seccompProfile.localhostProfile: Invalid value: {"Type":"RuntimeDefault","LocalhostProfile":"a"}: can only be set when seccomp type is Localhost',
      expect.stringMatching(
        /^securityContext: Invalid value: \{"Capabilities":null,"Privileged":true,.*\}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true$/,
      ),
      'securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
      'securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b:": runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]',
      'securityContext.appArmorProfile.localhostProfile: Invalid value: " a": must not be padded with whitespace',
    ]);
  });
});

describe('the rules of pod specs', () => {
  it('report wrong names and policies', () => {
    const spec = {
      restartPolicy: 'x',
      dnsPolicy: 'None',
      nodeSelector: { a: '-' },
      hostnameOverride: 'a',
      setHostnameAsFQDN: true,
      serviceAccountName: '-',
      activeDeadlineSeconds: 0,
      subdomain: 'a.b',
      hostAliases: [{ ip: 'x', hostnames: ['UP'] }],
      runtimeClassName: '',
      preemptionPolicy: 'y',
      readinessGates: [{ conditionType: '' }],
      schedulingGates: [{ name: 'a' }, { name: 'a' }],
      overhead: { cpu: '-1' },
      os: { name: 'z' },
    };
    expect(problems(spec).map((line) => line.split(': ').slice(0, 3).join(': '))).toEqual([
      'restartPolicy: Unsupported value: "x"',
      'nodeSelector: Invalid value: "-"',
      'dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None',
      'readinessGates[0].conditionType: Invalid value: ""',
      'readinessGates[0].conditionType: Invalid value: ""',
      'schedulingGates[1]: Duplicate value: "a"',
      'hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true',
      'serviceAccountName: Invalid value: "-"',
      'activeDeadlineSeconds: Invalid value: 0',
      'subdomain: Invalid value: "a.b"',
      'hostAliases[0].ip: Invalid value: "x"',
      'hostAliases[0].hostnames[0]: Invalid value: "UP"',
      'runtimeClassName: Invalid value: ""',
      'preemptionPolicy: Unsupported value: "y"',
      'overhead.limits[cpu]: Invalid value: "-1"',
      'os: Unsupported value: "z"',
    ]);
  });

  it('report wrong affinities', () => {
    const expression = { key: 'a', operator: 'In', values: ['-'] };
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [expression, { key: '', operator: 'Gt' }] },
            {
              matchFields: [
                { key: 'x', operator: 'Exists' },
                { key: 'metadata.name', operator: 'In' },
              ],
            },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 0, preference: { matchExpressions: [expression] } },
        ],
      },
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { namespaces: ['UP'], matchLabelKeys: ['a'], topologyKey: 'zone' },
          {
            labelSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] },
            matchLabelKeys: ['a'],
            mismatchLabelKeys: ['a'],
            topologyKey: 'zone',
          },
        ],
      },
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: {} }] },
    };
    const shortened = problems({ affinity }).map((line) =>
      line
        .replace(/^affinity\./, '')
        .replace('DuringSchedulingIgnoredDuringExecution', '')
        .replace(/(consist of|characters) .*/, '$1'),
    );
    expect(shortened).toEqual([
      'nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: "-": a valid label must be an empty string or consist of',
      "nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[1].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
      'nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[1].key: Invalid value: "": name part must be non-empty',
      'nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[1].key: Invalid value: "": name part must consist of',
      'nodeAffinity.required.nodeSelectorTerms[1].matchFields[0].operator: Invalid value: "Exists": not a valid selector operator',
      'nodeAffinity.required.nodeSelectorTerms[1].matchFields[0].key: Invalid value: "x": not a valid field selector key',
      "nodeAffinity.required.nodeSelectorTerms[1].matchFields[1].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      'nodeAffinity.preferred[0].weight: Invalid value: 0: must be in the range 1-100',
      'podAffinity.required[0].namespace: Invalid value: "UP": a lowercase RFC 1123 label must consist of',
      'podAffinity.required[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
      'podAffinity.required[1][0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
      'podAffinity.required[1].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys',
      'podAntiAffinity.preferred[0].weight: Invalid value: 101: must be in the range 1-100',
      'podAntiAffinity.preferred[0].podAffinityTerm.topologyKey: Required value: can not be empty',
      'podAntiAffinity.preferred[0].podAffinityTerm.topologyKey: Invalid value: "": name part must be non-empty',
      'podAntiAffinity.preferred[0].podAffinityTerm.topologyKey: Invalid value: "": name part must consist of',
    ]);
  });

  it('report wrong constraints that spread pods', () => {
    const topologySpreadConstraints = [
      { topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 0, nodeTaintsPolicy: 'x' },
      { topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 1 },
      { whenUnsatisfiable: 'y', maxSkew: 1 },
    ];
    expect(problems({ topologySpreadConstraints })).toEqual([
      'topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
      'topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, ScheduleAnyway}"',
      'topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero',
      'topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      'topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: "x": supported values: "Honor", "Ignore"',
      'topologySpreadConstraints[2].topologyKey: Required value: can not be empty',
      'topologySpreadConstraints[2].whenUnsatisfiable: Unsupported value: "y": supported values: "DoNotSchedule", "ScheduleAnyway"',
    ]);
  });

  it('report wrong DNS configurations', () => {
    const dnsConfig = {
      nameservers: ['10.0.0.1', 'x', '10.0.0.2', '10.0.0.3'],
      searches: ['a_b.', '-'],
      options: [{ value: 'x' }],
    };
    expect(problems({ dnsConfig })).toEqual([
      'dnsConfig.nameservers: Invalid value: ["10.0.0.1","x","10.0.0.2","10.0.0.3"]: must not have more than 3 nameservers',
      'dnsConfig.nameservers[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      expect.stringMatching(/^dnsConfig\.searches\[1\]: Invalid value: "-": a lowercase RFC 1123 subdomain .*'_', '-'/),
      'dnsConfig.options[0]: Required value: must not be empty',
    ]);
  });

  it('report wrong security contexts of pods', () => {
    const securityContext = {
      fsGroup: -1,
      supplementalGroups: [1, -2],
      sysctls: [{ name: 'net.x' }, { name: 'net.x' }, { name: 'kernel/sem' }, { name: 'A' }, {}],
      fsGroupChangePolicy: 'x',
      supplementalGroupsPolicy: 'y',
    };
    const spec = { hostNetwork: true, hostIPC: true, hostPID: true, shareProcessNamespace: true, hostUsers: false };
    expect(problems({ securityContext, ...spec })).toEqual([
      'securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'securityContext.supplementalGroups[1]: Invalid value: -2: must be between 0 and 2147483647, inclusive',
      'securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
      'securityContext.sysctls[0].name: Invalid value: "net.x": may not be specified when \'hostNetwork\' is true',
      'securityContext.sysctls[1].name: Duplicate value: "net.x"',
      'securityContext.sysctls[1].name: Invalid value: "net.x": may not be specified when \'hostNetwork\' is true',
      'securityContext.sysctls[2].name: Invalid value: "kernel/sem": may not be specified when \'hostIPC\' is true',
      expect.stringMatching(/sysctls\[3\]\.name: Invalid value: "A": must have at most 253 characters and match regex/),
      'securityContext.sysctls[4].name: Required value',
      'securityContext.fsGroupChangePolicy: Unsupported value: "x": supported values: "Always", "OnRootMismatch"',
      'securityContext.supplementalGroupsPolicy: Unsupported value: "y": supported values: "Merge", "Strict"',
      'hostNetwork: Forbidden: when `hostUsers` is false',
      'HostPID: Forbidden: when `hostUsers` is false',
      'HostIPC: Forbidden: when `hostUsers` is false',
    ]);
  });

  it('report members that an operating system does not have', () => {
    const windows = { windowsOptions: { hostProcess: true } };
    const containers = [
      { ...web, securityContext: { privileged: true } },
      { name: 'b', image: 'x', securityContext: windows },
    ];
    expect(problems({ containers, os: { name: 'windows' }, hostPID: true, resources: {} })).toEqual([
      'resources: Forbidden: may not be set for a windows pod',
      'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
      'hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
      'hostPID: Forbidden: cannot be set for a windows pod',
      'containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod',
    ]);
    const linux = { os: { name: 'linux' }, securityContext: { windowsOptions: {} } };
    expect(problems(linux)).toEqual([
      'securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
    ]);
  });

  it('report resources of containers that exceed those of the pod', () => {
    const resources = { limits: { cpu: '1', 'example.com/gpu': '1' }, requests: { cpu: '1', memory: '1Gi' } };
    const used = { limits: { cpu: '2' }, requests: { cpu: '600m' } };
    const containers = [
      { ...web, resources: used },
      { name: 'b', image: 'x', resources: { requests: { cpu: '500m' } } },
    ];
    expect(problems({ containers, resources })).toEqual([
      'resources.limits[example.com/gpu]: Unsupported value: "example.com/gpu": supported values: "cpu", "hugepages-", "memory"',
      'resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 1100m',
      'resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1',
    ]);
  });
});
