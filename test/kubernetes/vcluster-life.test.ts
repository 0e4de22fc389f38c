import { afterAll, beforeAll } from 'vitest';
import { vclusterLife } from '../cluster/vcluster-life.suite.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'the suite of test:cluster', () => {
  let kubernetes: Kubernetes;

  beforeAll(async () => {
    if (typeof programs !== 'string') kubernetes = await startKubernetes({ programs, nodesInside: true });
  });
  afterAll(() => kubernetes?.stop());

  vclusterLife(() => ({ ...kubernetes.programs, kubeconfig: kubernetes.kubeconfig, image: 'busybox' }), {
    realPods: false,
  });
});
