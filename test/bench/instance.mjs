const pad = (number) => String(number).padStart(6, '0');

export const instanceName = (prefix, number) => `${prefix}-${pad(number)}`;

/** One instance in a hundred has this label. */
export const rareLabel = 'tier=gold';

/** A typical virtual cluster instance, about 1.8 kB of JSON. */
export function instance(apiVersion, prefix, number, displayName = `Team ${number % 40} staging`) {
  return {
    apiVersion,
    kind: 'VirtualClusterInstance',
    metadata: {
      name: instanceName(prefix, number),
      labels: {
        'app.kubernetes.io/part-of': 'developer-environments',
        'app.kubernetes.io/managed-by': 'delivery-pipeline',
        team: `team-${number % 40}`,
        stage: ['development', 'staging', 'production'][number % 3],
        tier: number % 100 === 0 ? 'gold' : 'bronze',
      },
      annotations: {
        'delivery.example.com/pipeline': `https://pipelines.example.com/environments/runs/${pad(number)}`,
        'delivery.example.com/commit': `${pad(number)}c0ffee0123456789abcdef0123456789ab`,
        'delivery.example.com/branch': `refs/heads/feature/checkout-${pad(number)}`,
        'delivery.example.com/contact': `team-${number % 40}@example.com`,
      },
    },
    spec: {
      displayName,
      description: 'Made by the delivery pipeline for the branch that is under review; it ends with the branch.',
      owner: { user: 'admin' },
      clusterRef: { cluster: 'local' },
      template: {
        metadata: {
          labels: { environment: 'review', 'cost-centre': `cc-${number % 12}` },
          annotations: { 'backup.example.com/schedule': 'none' },
        },
        helmRelease: { values },
        objects,
        access: { defaultClusterRole: 'view' },
      },
      extraAccessRules: [{ clusterRole: 'edit', users: ['*'] }],
      access: [{ name: 'reviewers', verbs: ['get', 'use'], subresources: ['*'], users: ['*'] }],
    },
  };
}

const values = `controlPlane:
  distro:
    k8s:
      enabled: true
      version: v1.33.2
  statefulSet:
    resources:
      requests: { cpu: 200m, memory: 256Mi }
      limits: { cpu: "1", memory: 1Gi }
    persistence:
      volumeClaim: { size: 5Gi }
sync:
  toHost:
    ingresses: { enabled: true }
    persistentVolumes: { enabled: false }
  fromHost:
    nodes: { enabled: true }
`;

const objects = `apiVersion: v1
kind: Namespace
metadata:
  name: review
---
apiVersion: v1
kind: ResourceQuota
metadata:
  name: review
  namespace: review
spec:
  hard: { pods: "50", requests.cpu: "4", requests.memory: 8Gi }
`;
