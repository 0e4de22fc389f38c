const web = { name: 'web', image: 'nginx' };

const preferred = [
  { weight: 1, preference: { matchExpressions: [{ key: 'beta.kubernetes.io/arch', operator: 'In', values: ['x'] }] } },
];
const nodeSelectorTerms = [{ matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'Exists' }] }];
const item = (path: string) => ({ key: 'k', path });

/**
 * Valid pod templates about which Kubernetes warns. There are several, because the size of the warning headers of one
 * response is limited.
 */
export const templatesWithWarnings: readonly object[] = [
  {
    metadata: { annotations: { 'scheduler.alpha.kubernetes.io/critical-pod': '' } },
    spec: {
      containers: [web],
      nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
          preferredDuringSchedulingIgnoredDuringExecution: preferred,
        },
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'zone' } }],
        },
      },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'failure-domain.beta.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
      ],
      terminationGracePeriodSeconds: -1,
    },
  },
  {
    spec: {
      containers: [
        {
          ...web,
          env: [
            { name: 'a', value: '1' },
            { name: 'a', value: '2' },
            { name: 'a', value: '$(a)3' },
            { name: 'a', value: '$(a)' },
          ],
          resources: { limits: { memory: '1500m' }, requests: { memory: '500m', 'ephemeral-storage': '1100m' } },
          ports: [
            { containerPort: 80 },
            { containerPort: 80, name: 'again' },
            { containerPort: 80, hostPort: 80, name: 'x' },
            { containerPort: 80, hostPort: 80, hostIP: '10.0.0.1' },
            { containerPort: 81, hostIP: '10.0.0.1', name: 'y' },
          ],
        },
      ],
      overhead: { memory: '1500m' },
    },
  },
  {
    spec: {
      containers: [web],
      hostAliases: [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }, { ip: '2001:DB8::1' }],
      dnsConfig: { nameservers: ['2001:DB8::1'] },
      imagePullSecrets: [{ name: 'a' }, { name: 'a' }, { name: '' }],
    },
  },
  {
    spec: {
      containers: [web],
      volumes: [
        { name: 'g', gitRepo: { repository: 'r' } },
        { name: 'r', rbd: { monitors: ['m'], image: 'i' } },
        { name: 'q', quobyte: { registry: 'a:1', volume: 'v' } },
        { name: 'c', configMap: { name: 'c', items: [item('a'), item('a/b'), item('a/'), item('b'), item('ab')] } },
        { name: 's', secret: { secretName: 's', items: [item('a/b/c'), item('a')] } },
        {
          name: 'p',
          projected: {
            sources: [
              { configMap: { name: 'c', items: [item('a')] } },
              { secret: { name: 's', items: [item('a/s')] } },
              { serviceAccountToken: { path: 'a/token' } },
            ],
          },
        },
      ],
    },
  },
  {
    metadata: {
      annotations: {
        'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
        'container.seccomp.security.alpha.kubernetes.io/web': 'runtime/default',
        'container.apparmor.security.beta.kubernetes.io/web': 'localhost/a',
      },
    },
    spec: { containers: [web] },
  },
  {
    metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/web': 'localhost/a' } },
    spec: {
      containers: [web],
      securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'a' } },
    },
  },
];
