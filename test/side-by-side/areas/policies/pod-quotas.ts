import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const namespace = 'pod-quotas-area';
const root = `/api/v1/namespaces/${namespace}`;

type Members = Readonly<Record<string, unknown>>;

const container = (requests: Members = {}, limits: Members = {}, name = 'c') => ({
  name,
  image: 'nginx',
  resources: { requests, limits },
});

/** Compares quotas of the resources of pods. */
export function podQuotas(pair: Pair): void {
  describe('Quotas of pods', () => {
    const compared = comparedTests(pair);
    const post = (path: string, json: unknown) => pair.send({ method: 'POST', path, json });
    const prepare = (path: string, json: unknown) => pair.prepare({ method: 'POST', path, json });
    const pod = (name: string, containers: readonly unknown[], spec: Members = {}) => ({
      metadata: { name },
      spec: { containers, ...spec },
    });
    const tryPod = (...given: Parameters<typeof pod>) => post(`${root}/pods?dryRun=All`, pod(...given));

    /**
     * Creates a quota with a complete status. kube-apiserver runs without a controller manager, so it does not count
     * usage itself.
     */
    async function createQuota(name: string, hard: Members, spec: Members = {}): Promise<void> {
      await prepare(`${root}/resourcequotas`, { metadata: { name }, spec: { hard, ...spec } });
      const used = Object.fromEntries(Object.keys(hard).map((key) => [key, '0']));
      const body = JSON.stringify({ status: { hard, used } });
      const path = `${root}/resourcequotas/${name}/status`;
      await pair.prepare({ method: 'PATCH', path, body, headers: { 'content-type': mergePatch } });
    }

    /**
     * Waits until both servers refuse the pod because of the quota, which shows that their caches contain the quota.
     */
    async function untilRefused(quota: string, json: unknown): Promise<void> {
      for (const side of pair.sides) {
        for (let attempt = 0; attempt < 100; attempt++) {
          const { text } = await side.send({ method: 'POST', path: `${root}/pods?dryRun=All`, json });
          if (text.includes(`quota: ${quota}`)) break;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    }

    const removeQuotas = () => pair.prepare({ method: 'DELETE', path: `${root}/resourcequotas` });

    compared('require amounts from each container', async () => {
      await prepare('/api/v1/namespaces', { metadata: { name: namespace } });
      for (const side of pair.sides) {
        await side.send({ method: 'POST', path: `${root}/serviceaccounts`, json: { metadata: { name: 'default' } } });
      }
      await createQuota('amounts', {
        'limits.cpu': '2',
        'requests.memory': '1Gi',
        'requests.ephemeral-storage': '1Gi',
      });
      await untilRefused('amounts', pod('p', [container()]));
      await tryPod('p', [container()]);
      await tryPod('p', [container({}, { cpu: '1' })]);
      await tryPod('p', [container({}, {}, 'b'), container({}, { cpu: '1' }, 'a')], {
        initContainers: [container({ memory: '1' }, {}, 'init')],
      });
      await tryPod('p', [container()], { resources: { requests: { memory: '2Gi' }, limits: { cpu: '1' } } });
      await removeQuotas();
    });

    compared('refuse pods beyond them', async () => {
      const scarce = { 'requests.example.com/gpu': '1', 'hugepages-2Mi': '4Mi', 'count/pods': '9' };
      await createQuota('limits', {
        cpu: '1',
        'limits.memory': '1Gi',
        'requests.ephemeral-storage': '1Gi',
        pods: '1',
        ...scarce,
      });
      const small = container({ cpu: '100m' }, { memory: '1Mi' });
      await untilRefused('limits', pod('p', [container({ cpu: '2' }, { memory: '1Mi' })]));
      await tryPod('p', [container({ cpu: '1500m' }, { memory: '1.5Gi' })]);
      await tryPod('p', [container({ cpu: '1', 'ephemeral-storage': '2Gi' }, { memory: '1Mi' })]);
      const devices = { 'example.com/gpu': '2', 'hugepages-2Mi': '8Mi' };
      await tryPod('p', [container({ cpu: '1', ...devices }, { memory: '1Mi', ...devices })]);
      await tryPod('p', [small], { initContainers: [container({ cpu: '1100m' }, { memory: '1' }, 'init')] });
      const sidecar = { ...container({ cpu: '950m' }, { memory: '1' }, 'init'), restartPolicy: 'Always' };
      await tryPod('p', [small], { initContainers: [sidecar] });
      await prepare(`${root}/pods`, pod('first', [small]));
      await untilRefused('limits', pod('second', [small]));
      await tryPod('second', [container({ cpu: '950m' }, { memory: '1Mi' })]);
      await pair.prepare({ method: 'DELETE', path: `${root}/pods/first?gracePeriodSeconds=0` });
      await removeQuotas();
    });

    compared('measure only the pods in their scopes', async () => {
      await prepare('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'quota-high' }, value: 7 });
      const select = (scopeName: string, operator: string, values?: readonly string[]) => ({
        scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values && { values }) }] },
      });
      const [plain, sized] = [container(), container({ cpu: '1' })];
      const high = { priorityClassName: 'quota-high' };
      const term = { topologyKey: 'zone', namespaces: ['x'] };
      const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
      const scopes: readonly (readonly [Members, unknown])[] = [
        [{ scopes: ['Terminating'] }, pod('p', [plain], { activeDeadlineSeconds: 5 })],
        [{ scopes: ['NotTerminating', 'BestEffort'] }, pod('p', [plain])],
        [{ scopes: ['NotBestEffort'] }, pod('p', [sized])],
        [select('PriorityClass', 'In', ['quota-high']), pod('p', [plain], high)],
        [select('PriorityClass', 'NotIn', ['quota-high']), pod('p', [plain])],
        [select('PriorityClass', 'DoesNotExist'), pod('p', [plain])],
        [{ scopes: ['PriorityClass'] }, pod('p', [plain], high)],
        [select('CrossNamespacePodAffinity', 'Exists'), pod('p', [plain], { affinity })],
      ];
      for (const [index, [spec, refused]] of scopes.entries()) {
        const name = `scope-${index}`;
        await createQuota(name, { pods: '0' }, spec);
        await untilRefused(name, refused);
        for (const [, tried] of scopes) await post(`${root}/pods?dryRun=All`, tried);
        await removeQuotas();
      }
    });
  });
}
