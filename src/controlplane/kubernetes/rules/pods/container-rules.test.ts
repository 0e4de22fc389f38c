import { describe, expect, it } from 'vitest';
import { containerProblems, problems, web } from './pod-problems.fixture.ts';

describe('the rules of containers', () => {
  it('report invalid names and policies', () => {
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

  it('report invalid ports', () => {
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

  it('report invalid environment variables', () => {
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

  it('report invalid mounts and devices', () => {
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

  it('report invalid probes and hooks', () => {
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

  it('report invalid restart policies of containers and init containers', () => {
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

  it('report invalid resources and resource claims', () => {
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

  it('report invalid security contexts', () => {
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
