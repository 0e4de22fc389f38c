import { describe, expect, it } from 'vitest';
import { problems, templateProblems, web } from './pod-problems.fixture.ts';

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

  it('refuse types of profiles with the names of members of JavaScript objects', () => {
    const annotations = { 'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default' };
    for (const type of ['constructor', '__proto__']) {
      const spec = { containers: [web], securityContext: { seccompProfile: { type } } };
      expect(templateProblems({ metadata: { annotations }, spec })).toEqual([
        expect.stringContaining(`seccompProfile.type: Unsupported value: "${type}"`),
      ]);
    }
  });

  it('report a limited number of errors that each show a long text', () => {
    const quobyte = { registry: ','.repeat(20_000), volume: 'v' };
    const volumes = [{ name: 'v', quobyte }];
    expect(problems({ volumes }).length).toBeLessThan(100);
  });

  it('require a container', () => {
    expect(templateProblems({})).toEqual(['spec.containers: Required value']);
  });

  it('report invalid labels and annotations', () => {
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

  it('accept the SELinux policy MountOption only if the stored template has a policy', () => {
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

describe('the rules of pod specs', () => {
  it('report invalid names and policies', () => {
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

  it('report invalid affinities', () => {
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

  it('report invalid topology spread constraints', () => {
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

  it('report invalid DNS configurations', () => {
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

  it('report invalid security contexts of pods', () => {
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

  it('are checked in linear time', () => {
    const numbers = Array.from({ length: 8_000 }, (_, at) => at);
    const volumes = numbers.map((at) => ({ name: `v${at}` }));
    const volumeMounts = numbers.map((at) => ({ name: `v${at}`, mountPath: `/${at}` }));
    const resources = (at: number) => ({ limits: { [`hugepages-${at + 1}`]: '0', cpu: '1' } });
    const containers = [{ ...web, volumeMounts }];
    const initContainers = numbers.map((at) => ({
      name: `c${at}`,
      image: 'x',
      resources: resources(at),
      ...(at < 4_000 ? { restartPolicy: 'Always' } : {}),
    }));
    expect(problems({ containers, initContainers, volumes, resources: { limits: { cpu: '1' } } })).toEqual([]);
  });
});
