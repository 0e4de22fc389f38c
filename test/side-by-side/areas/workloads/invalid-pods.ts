const web = { name: 'web', image: 'nginx' };
const long = 'x'.repeat(300);

/** Pod templates with invalid metadata. A map has at most one invalid entry, because Kubernetes does not sort maps. */
export const invalidTemplates: readonly object[] = [
  {},
  { metadata: { labels: { '-': 'a' }, annotations: { '/': 'a' } }, spec: { containers: [] } },
  { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } },
  {
    metadata: { annotations: { 'scheduler.alpha.kubernetes.io/tolerations': '[{"operator":"x","key":"-"}]' } },
  },
  { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '007' } } },
  { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-2147483649' } } },
  { metadata: { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'x' } } },
  { metadata: { annotations: { 'container.seccomp.security.alpha.kubernetes.io/web': 'localhost//..' } } },
  { metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/none': 'a"b' } } },
  {
    metadata: {
      annotations: {
        'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
        'container.seccomp.security.alpha.kubernetes.io/web': 'localhost/a',
        'container.apparmor.security.beta.kubernetes.io/web': 'unconfined',
      },
    },
    spec: {
      containers: [
        { ...web, securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'b' } } },
        { name: 'b', image: 'b' },
      ],
      securityContext: { seccompProfile: { type: 'RuntimeDefault' }, appArmorProfile: { type: 'RuntimeDefault' } },
      ephemeralContainers: [
        {
          name: 'b',
          image: ' x',
          targetContainerName: 'none',
          ports: [{ containerPort: 1 }],
          resources: { limits: { cpu: '1' } },
          livenessProbe: { exec: {} },
          lifecycle: {},
          volumeMounts: [{ name: 'none', mountPath: '/a', subPath: 'a' }],
        },
      ],
    },
  },
];

interface InvalidContainer {
  readonly container: object;
  /** Other members of the pod spec. Optional. */
  readonly pod?: object;
}

const names: readonly InvalidContainer[] = [
  {
    container: {
      name: 'a.b',
      image: '',
      terminationMessagePolicy: 'x',
      imagePullPolicy: 'y',
      restartPolicy: 'z',
      restartPolicyRules: [{ action: 'x' }, { action: 'Restart', exitCodes: { operator: 'y', values: [1] } }],
    },
    pod: {
      initContainers: [
        { ...web, name: 'i', restartPolicyRules: [{ action: 'Restart' }], livenessProbe: {}, lifecycle: {} },
        {
          ...web,
          name: 'i',
          restartPolicy: 'Always',
          startupProbe: { successThreshold: 3 },
          ports: [
            { containerPort: 1, hostPort: 1 },
            { containerPort: 1, hostPort: 1 },
          ],
        },
        { ...web, name: 'j', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
        { ...web, name: 'k', restartPolicy: 'Sometimes' },
        { ...web, name: '' },
      ],
    },
  },
  { container: {}, pod: { containers: [web, web, { name: long, image: 'x' }, { name: '', image: 'x' }] } },
  { container: { name: 'i', restartPolicyRules: Array.from({ length: 21 }, () => ({ action: 'Restart' })) } },
];

const ports: readonly InvalidContainer[] = [
  {
    container: {
      ports: [
        { name: 'a', containerPort: 70_000, protocol: 'x', hostPort: -1 },
        { name: 'a', protocol: 'UDP' },
        { name: '-UP--0123456789-', containerPort: 80, hostPort: 80 },
        { name: '1', containerPort: 81, hostPort: 80 },
      ],
    },
    pod: { hostNetwork: true },
  },
];

const valueFrom = (source: object) => ({ valueFrom: source });
const field = (fieldPath: string) => valueFrom({ fieldRef: { fieldPath } });
const resource = (name: string, divisor?: string) => valueFrom({ resourceFieldRef: { resource: name, divisor } });

const variables: readonly InvalidContainer[] = [
  {
    container: {
      env: [
        { name: '' },
        { name: 'a=b', valueFrom: {} },
        { name: 'é', ...field('spec.host'), value: 'x' },
        { name: 'b', ...field('status.phase') },
        { name: 'c', ...field("spec.nodeName['x']") },
        { name: 'd', ...field('x') },
        { name: 'e', ...field("metadata.labels['UP/a']") },
        { name: 'f', ...field("metadata.annotations['-A']") },
        { name: 'g', ...field('') },
        { name: 'h', ...valueFrom({ fieldRef: { apiVersion: 'v2', fieldPath: 'x' } }) },
      ],
      envFrom: [{}, { prefix: 'a=', configMapRef: { name: 'a-' }, secretRef: {} }, { secretRef: { name: 'A' } }],
    },
  },
  {
    container: {
      env: [
        { name: 'a', ...resource('limits.cpu', '2') },
        { name: 'b', ...resource('limits.memory', '1m') },
        { name: 'c', ...resource('requests.ephemeral-storage', '3') },
        { name: 'd', ...resource('requests.hugepages-2Mi', '7') },
        { name: 'e', ...resource('x', '7') },
        { name: 'f', ...resource('') },
        {
          name: 'g',
          ...valueFrom({ configMapKeyRef: { name: '', key: '' }, secretKeyRef: { name: 'A', key: '..a' } }),
        },
        { name: 'h', ...valueFrom({ secretKeyRef: { name: 's', key: 'a/b' } }) },
        { name: 'i', ...valueFrom({ fileKeyRef: { key: '=', volumeName: 'UP', path: 'a/../b' } }) },
        { name: 'j', ...valueFrom({ fileKeyRef: {} }) },
        { name: 'k', ...valueFrom({ fileKeyRef: { key: 'k', volumeName: 'host', path: 'p' } }) },
      ],
    },
    pod: { volumes: [{ name: 'host', hostPath: { path: '/x' } }] },
  },
];

const mounts: readonly InvalidContainer[] = [
  {
    container: {
      volumeMounts: [
        { name: 'a', mountPath: '/a', subPath: '/x', subPathExpr: '../y', mountPropagation: 'Bidirectional' },
        { name: 'none', mountPath: '/a', recursiveReadOnly: 'Enabled', mountPropagation: 'HostToContainer' },
        { name: 'disk', mountPath: '/dev/x', mountPropagation: 'x', recursiveReadOnly: 'y' },
        { name: '', mountPath: '', recursiveReadOnly: 'Disabled' },
      ],
      volumeDevices: [
        { name: 'a', devicePath: '/dev/y' },
        { name: 'disk', devicePath: '/dev/x' },
        { name: 'disk', devicePath: '/dev/x' },
        { name: '', devicePath: '../a' },
        { name: 'none', devicePath: '' },
      ],
    },
    pod: {
      volumes: [
        { name: 'a' },
        { name: 'a' },
        { name: '' },
        { name: 'UP' },
        { name: 'disk', persistentVolumeClaim: { claimName: 'd' } },
      ],
      hostUsers: false,
    },
  },
];

const probes: readonly InvalidContainer[] = [
  {
    container: {
      livenessProbe: { successThreshold: 2, terminationGracePeriodSeconds: 0, grpc: { port: 0 }, timeoutSeconds: -1 },
      readinessProbe: { terminationGracePeriodSeconds: 1, exec: {}, tcpSocket: { port: 1 }, failureThreshold: -1 },
      startupProbe: {
        httpGet: { port: 'UP', scheme: 'x', httpHeaders: [{ name: 'a b', value: '' }] },
        periodSeconds: -1,
        initialDelaySeconds: -2,
      },
      lifecycle: {
        postStart: { sleep: { seconds: -1 }, tcpSocket: { port: 70_000 } },
        preStop: { sleep: { seconds: 31 } },
      },
    },
  },
  { container: { lifecycle: { postStart: {}, preStop: { httpGet: {} } }, readinessProbe: {} } },
];

const resources: readonly InvalidContainer[] = [
  {
    container: {
      resources: {
        limits: { cpu: '1' },
        requests: { cpu: '2' },
        claims: [{ name: 'a' }, { name: 'a', request: 'r' }, { name: '' }, { name: 'b', request: 'UP' }, { name: 'b' }],
      },
      resizePolicy: [
        { resourceName: 'cpu', restartPolicy: 'x' },
        { resourceName: 'cpu', restartPolicy: 'RestartContainer' },
        { resourceName: 'y', restartPolicy: '' },
      ],
    },
    pod: {
      restartPolicy: 'Never',
      resourceClaims: [
        { name: 'b', resourceClaimName: 'x', resourceClaimTemplateName: 'y' },
        { name: 'b', resourceClaimName: 'UP' },
        { name: '' },
        { name: 'c.d', resourceClaimTemplateName: '' },
      ],
    },
  },
  { container: { resources: { limits: { 'hugepages-2Mi': '3Mi' }, requests: { 'example.com/gpu': '1' } } } },
  { container: { resources: { limits: { 'hugepages-x': '2Mi' }, claims: [{ name: 'a' }] } } },
  { container: { resources: { limits: { 'example.com/gpu': '1500m' }, requests: { 'example.com/gpu': '2' } } } },
  { container: { resources: { requests: { memory: '-1' }, limits: { pods: '1' } } } },
  { container: { resources: { requests: { unknown: '1' }, limits: { 'a/b/c': '1' } } } },
];

const security: readonly InvalidContainer[] = [
  {
    container: {
      securityContext: {
        runAsUser: -1,
        runAsGroup: 2_147_483_648,
        procMount: 'Unmasked',
        privileged: true,
        allowPrivilegeEscalation: false,
        capabilities: { add: ['CAP_SYS_ADMIN'], drop: ['ALL'] },
        seLinuxOptions: { level: 's0' },
        seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'a' },
        appArmorProfile: { type: 'Localhost', localhostProfile: ' a' },
        windowsOptions: { runAsUserName: 'a/\\b:', gmsaCredentialSpec: '', gmsaCredentialSpecName: 'UP' },
      },
    },
  },
  {
    container: {
      securityContext: {
        procMount: 'x',
        seccompProfile: { type: 'Localhost' },
        appArmorProfile: { type: 'Unconfined', localhostProfile: 'a' },
        windowsOptions: { runAsUserName: '' },
      },
    },
  },
  {
    container: {
      securityContext: {
        seccompProfile: { type: 'Localhost', localhostProfile: '/../a' },
        appArmorProfile: { type: 'x' },
        windowsOptions: { runAsUserName: 'a\u0001' },
      },
    },
  },
  {
    container: {
      securityContext: {
        seccompProfile: { type: 'x' },
        appArmorProfile: { type: 'Localhost', localhostProfile: 'x'.repeat(4096) },
        windowsOptions: { runAsUserName: `${long}\\..` },
      },
    },
  },
  {
    container: {
      securityContext: {
        seccompProfile: { type: '' },
        appArmorProfile: { type: '' },
        windowsOptions: { runAsUserName: 'a\\b\\c' },
      },
    },
  },
];

/** Invalid containers, grouped by their members. */
export const invalidContainers: readonly InvalidContainer[] = [
  ...names,
  ...ports,
  ...variables,
  ...mounts,
  ...probes,
  ...resources,
  ...security,
];

const expression = { key: 'a', operator: 'In', values: ['-'] };
const affinity = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: [expression, { key: '', operator: 'Gt' }, { key: 'a', operator: 'x' }] },
        {
          matchExpressions: [
            { key: 'a', operator: 'Exists', values: ['a'] },
            { key: 'a', operator: 'NotIn' },
          ],
        },
        {
          matchFields: [
            { key: 'x', operator: 'Exists' },
            { key: 'metadata.name', operator: 'In' },
            { key: 'metadata.name', operator: 'In', values: ['UP'] },
          ],
        },
      ],
    },
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: { matchExpressions: [expression] } }],
  },
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { namespaces: ['UP'], matchLabelKeys: ['a'], topologyKey: 'zone' },
      {
        labelSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] },
        namespaceSelector: { matchExpressions: [{ key: '-', operator: 'x' }] },
        matchLabelKeys: ['a', '-'],
        mismatchLabelKeys: ['a'],
        topologyKey: '-',
      },
    ],
  },
  podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: {} }] },
};

/** Invalid pod specs, grouped by their members. */
export const invalidPods: readonly object[] = [
  {
    restartPolicy: 'x',
    dnsPolicy: 'y',
    nodeSelector: { a: '-' },
    hostnameOverride: `UP${long}`,
    setHostnameAsFQDN: true,
    hostNetwork: true,
    serviceAccountName: '-',
    nodeName: '-',
    activeDeadlineSeconds: 0,
    hostname: 'UP',
    subdomain: 'a.b',
    priorityClassName: '-',
    runtimeClassName: '',
    preemptionPolicy: 'z',
    overhead: { cpu: '-1' },
    os: { name: 'q' },
  },
  { activeDeadlineSeconds: 2_147_483_648, preemptionPolicy: '', os: { name: '' }, dnsPolicy: 'None' },
  {
    tolerations: [
      { key: '-', operator: 'x', effect: 'y', tolerationSeconds: 1 },
      { operator: 'Equal', value: '-' },
      { key: 'a', operator: 'Exists', value: 'b' },
      { key: 'a', operator: 'Lt', value: '1' },
    ],
    hostAliases: [{ ip: 'x', hostnames: ['UP'] }, { ip: '010.0.0.1' }],
    readinessGates: [{ conditionType: '' }, { conditionType: '-' }],
    schedulingGates: [{ name: 'a' }, { name: 'a' }, { name: '-' }],
  },
  { affinity },
  { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
  {
    topologySpreadConstraints: [
      {
        maxSkew: 0,
        topologyKey: 'zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        minDomains: 0,
        nodeTaintsPolicy: 'x',
        nodeAffinityPolicy: 'y',
        matchLabelKeys: ['a'],
      },
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { '-': 'a' } },
        matchLabelKeys: ['-'],
      },
      { maxSkew: 1, topologyKey: '', whenUnsatisfiable: 'y' },
    ],
  },
  {
    dnsConfig: {
      nameservers: ['10.0.0.1', 'x', '::ffff:10.0.0.1', '10.0.0.3'],
      searches: ['a_b.', '-', '.', '', ...Array.from({ length: 30 }, () => 'y'.repeat(70))],
      options: [{ value: 'x' }],
    },
  },
  { dnsPolicy: 'None', dnsConfig: {} },
  {
    securityContext: {
      fsGroup: -1,
      runAsUser: -1,
      runAsGroup: -1,
      supplementalGroups: [1, -2],
      sysctls: [{ name: 'net.x', value: '' }, { name: 'net.x' }, { name: 'kernel/sem' }, { name: 'A' }, {}],
      fsGroupChangePolicy: 'x',
      supplementalGroupsPolicy: 'y',
      seLinuxChangePolicy: 'MountOption',
      seccompProfile: { type: 'x' },
      appArmorProfile: { type: 'y' },
      windowsOptions: { runAsUserName: '.' },
    },
    hostNetwork: true,
    hostIPC: true,
    hostPID: true,
    shareProcessNamespace: true,
    hostUsers: false,
  },
  {
    os: { name: 'windows' },
    hostPID: true,
    hostIPC: true,
    hostUsers: true,
    shareProcessNamespace: false,
    resources: { limits: { cpu: '1' } },
    securityContext: {
      fsGroup: 1,
      runAsUser: 1,
      runAsGroup: 1,
      supplementalGroups: [1],
      sysctls: [{ name: 'a', value: 'b' }],
      seLinuxOptions: {},
      seLinuxChangePolicy: 'Recursive',
    },
    containers: [
      { ...web, securityContext: { privileged: true, capabilities: {}, runAsUser: 1 } },
      { name: 'b', image: 'b', securityContext: { windowsOptions: { hostProcess: true } } },
    ],
  },
  {
    os: { name: 'linux' },
    securityContext: { windowsOptions: { hostProcess: false } },
    containers: [{ ...web, securityContext: { windowsOptions: { hostProcess: true } } }],
  },
  {
    resources: { limits: { cpu: '1', 'hugepages-2Mi': '2Mi' }, requests: { cpu: '1' }, claims: [{ name: 'a' }] },
    containers: [
      { ...web, resources: { limits: { cpu: '2' }, requests: { cpu: '600m' } } },
      { name: 'b', image: 'b', resources: { requests: { cpu: '500m' }, limits: { 'hugepages-2Mi': '4Mi', cpu: '1' } } },
    ],
  },
  { resources: { limits: { 'example.com/gpu': '1' } } },
];
