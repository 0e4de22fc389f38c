import { spawnSync } from 'node:child_process';
import { kubectlMissing } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { vclusterLife } from './vcluster-life.suite.ts';

const {
  KUBECONFIG: kubeconfig = '',
  FLOTILLA_HELM: helm = 'helm',
  FLOTILLA_CHART: chart = '',
  FLOTILLA_IMAGE: image = 'busybox',
} = process.env;

function missing(): string | undefined {
  if (kubeconfig === '') return 'KUBECONFIG names no cluster';
  if (kubectlMissing !== undefined) return kubectlMissing;
  return spawnSync(helm, ['version']).status === 0 ? undefined : 'there is no helm on PATH, nor one in FLOTILLA_HELM';
}

describeIfAvailable(missing(), 'the lifecycle of a real vCluster, on the cluster that KUBECONFIG names', () =>
  vclusterLife(() => ({ kubeconfig, helm, chart, image }), { realPods: true }),
);
