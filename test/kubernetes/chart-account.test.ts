import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sleepForceAnnotation } from '../../src/api/naming.ts';
import { spacesOf } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch } from '../../src/server/server.fixture.ts';
import { accountKubeconfig } from '../cluster/cluster-account.ts';
import { vclusterLife } from '../cluster/vcluster-life.suite.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { openFlotilla } from './harness/open-flotilla.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const namespace = 'flotilla-system';
const account = `system:serviceaccount:${namespace}:flotilla-host`;

/** One object of each kind that the chart's service account creates for a space. */
const spaceObjects = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: 0 3 * * *
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: job, image: job}]}}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
`;

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'the account of the Helm chart', () => {
  let kubernetes: Kubernetes;

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs, nodesInside: true });
    const flags = ['--namespace', namespace, '--create-namespace', '--set', 'hostAccess.enabled=true'];
    await kubernetes.helm('install', 'flotilla', 'charts/flotilla', ...flags);
  });
  afterAll(() => kubernetes?.stop());

  it('is not an administrator', async () => {
    const allowed = (...what: string[]) => kubernetes.kubectl.run(['auth', 'can-i', ...what, '--as', account]);
    expect((await allowed('*', '*')).stdout).toBe('no\n');
    expect((await allowed('patch', 'nodes')).stdout).toBe('no\n');
    expect((await allowed('escalate', 'clusterroles')).stdout).toBe('no\n');
    expect((await allowed('bind', 'clusterroles/cluster-admin')).stdout).toBe('no\n');
    expect((await allowed('create', 'customresourcedefinitions')).stdout).toBe('no\n');
  });

  vclusterLife(
    () => ({
      ...kubernetes.programs,
      kubeconfig: kubernetes.kubeconfig,
      image: 'busybox',
      createAccount: (host, folder) => accountKubeconfig(host, folder, { namespace, name: 'flotilla-host' }),
    }),
    { realPods: false },
  );

  it('runs an isolated space with the objects of its template, which sleeps and wakes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chart-account-'));
    const flotilla = await openFlotilla(kubernetes);
    try {
      const kubeconfig = await accountKubeconfig(kubernetes.kubectl, folder, { namespace, name: 'flotilla-host' });
      await flotilla.connect('own', { kubeconfig });
      const hostIsolation = {
        isolateNetwork: true,
        deniedEgressCIDRs: ['10.0.0.0/8'],
        resourceQuota: { pods: 20 },
        limitRange: { default: { cpu: '500m' } },
      };
      await flotilla.ask(`${groupPath}/projects/default`, mergePatch({ spec: { hostIsolation } }));
      const template = { objects: spaceObjects };
      const spec = { owner: { user: 'admin' }, clusterRef: { cluster: 'own' }, template };
      const made = await flotilla.ask(spacesOf('default'), {
        method: 'POST',
        body: { metadata: { name: 'shop' }, spec },
      });
      expect(made.code, made.text).toBe(201);
      const until = (what: string) => flotilla.admin.ok(['wait', 'si/shop', `--for=${what}`, '--timeout=60s']);
      await until('condition=Ready');
      const force = (value: string | null) =>
        flotilla.ask(
          `${spacesOf('default')}/shop`,
          mergePatch({ metadata: { annotations: { [sleepForceAnnotation]: value } } }),
        );
      await force('true');
      await until('jsonpath={.status.phase}=Sleeping');
      await force(null);
      await until('condition=Ready');
      await flotilla.admin.ok(['delete', 'si/shop', '--timeout=60s']);
    } finally {
      await flotilla.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('was refused nothing', () => {
    const requests = kubernetes.audited().filter(({ user }) => user.username === account);
    expect(requests.length).toBeGreaterThan(100);
    const refused = requests.filter(({ responseStatus, impersonatedUser }) => {
      return responseStatus?.code === 403 && impersonatedUser === undefined;
    });
    expect(refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  });
});
