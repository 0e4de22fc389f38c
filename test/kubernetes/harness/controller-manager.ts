/**
 * The controllers that a host of virtual clusters needs. There are no others, because each controller makes every start
 * slower.
 */
const controllers = [
  'statefulset-controller',
  'deployment-controller',
  'replicaset-controller',
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'resourcequota-controller',
  'clusterrole-aggregation-controller',
];

export interface ControllerManagerFiles {
  readonly kubeconfig: string;
  readonly accountKey: string;
  /** The CA certificate that pods trust, in PEM. */
  readonly authority: string;
}

export function controllerManagerFlags({ kubeconfig, accountKey, authority }: ControllerManagerFiles): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--service-account-private-key-file=${accountKey}`,
    `--root-ca-file=${authority}`,
    `--controllers=${controllers.join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=1000',
    '--kube-api-burst=1000',
    '--concurrent-namespace-syncs=20',
    '--concurrent-statefulset-syncs=20',
  ];
}
