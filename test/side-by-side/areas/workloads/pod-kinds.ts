import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import { invalidContainers, invalidPods } from './invalid-pods.ts';

const namespace = 'pods-area';
const pods = `/api/v1/namespaces/${namespace}/pods`;
const web = { name: 'web', image: 'nginx' };
const age = /\.cells\[4\]$/;

type Members = Readonly<Record<string, unknown>>;

/** Compares pods without a node, and their subresources. */
export function podKinds(pair: Pair): void {
  describe('Pods', () => {
    const compared = comparedTests(pair);
    const post = (path: string, json: unknown) => pair.send({ method: 'POST', path, json });
    const create = (name: string, spec: Members = {}, metadata: Members = {}) =>
      post(pods, { metadata: { name, ...metadata }, spec: { containers: [web], ...spec } });
    const merge = (path: string, change: unknown) =>
      pair.send({
        method: 'PATCH',
        path: `${pods}/${path}`,
        body: JSON.stringify(change),
        headers: { 'content-type': mergePatch },
      });
    const table = (path = '') =>
      pair.send({ path: `${pods}${path}`, headers: { accept: asTable } }, { ignoredFields: age });

    compared('are in discovery, and need a service account', async () => {
      const rows = pair.sides.map(async (side) => {
        const { resources } = JSON.parse((await side.send({ path: '/api/v1' })).text);
        return resources.filter(({ name }: { name: string }) => /^pods(\/|$)/.test(name) && name !== 'pods/proxy');
      });
      const [theirs, ours] = await Promise.all(rows);
      pair.compareValues('pods in discovery', theirs, ours);
      await post('/api/v1/namespaces', { metadata: { name: namespace } });
      const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
      // Creates the default service account on kube-apiserver. This server creates it by itself.
      for (const side of pair.sides) {
        await side.send({ method: 'POST', path: accounts, json: { metadata: { name: 'default' } } });
      }
      await create('nobody', { serviceAccountName: 'nobody' });
      await post(accounts, {
        metadata: { name: 'silent' },
        automountServiceAccountToken: false,
        imagePullSecrets: [{ name: 's' }],
      });
      await create('silent', { serviceAccountName: 'silent' });
      await create(
        'mirror',
        { nodeName: 'n', serviceAccountName: 'default' },
        { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      );
    });

    compared('have defaults and columns', async () => {
      await create('plain');
      await create(
        'full',
        {
          hostNetwork: true,
          containers: [
            { ...web, ports: [{ containerPort: 80 }], resources: { limits: { cpu: '1', memory: '1Gi' } } },
            { name: 'second', image: 'b:1', resources: { requests: { cpu: '100m' } } },
          ],
          initContainers: [{ name: 'side', image: 'x:1', restartPolicy: 'Always' }],
          volumes: [{ name: 'v' }],
          tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
          readinessGates: [{ conditionType: 'example.com/gate' }],
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: 'zone', labelSelector: {}, matchLabelKeys: ['app'], mismatchLabelKeys: ['tier'] },
              ],
            },
          },
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'zone',
              whenUnsatisfiable: 'DoNotSchedule',
              labelSelector: {},
              matchLabelKeys: ['app'],
            },
          ],
        },
        { labels: { app: 'a', tier: 'b' } },
      );
      const limits = { cpu: '1', memory: '1Gi' };
      await create('guaranteed', { containers: [{ ...web, resources: { limits } }] });
      await create('gated', { schedulingGates: [{ name: 'example.com/gate' }] });
      await create('a.b', {}, { annotations: { 'container.apparmor.security.beta.kubernetes.io/web': 'unconfined' } });
      await create('placed', { nodeName: 'somewhere' });
      await table();
      await table('/full');
    });

    compared('have rules', async () => {
      await create('bad', {
        nodeName: 'n',
        schedulingGates: [{ name: 'a' }],
        ephemeralContainers: [{ name: 'e', image: 'i' }],
      });
      await create('spaces', { containers: [{ name: 'web', image: ' nginx ' }] });
      await create('claims', {
        volumes: [
          {
            name: 'e',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
              },
            },
          },
          { name: 'p', persistentVolumeClaim: { claimName: 'claims-e' } },
          { name: 'i', image: {} },
        ],
      });
      await create('ports', {
        hostNetwork: true,
        containers: [{ ...web, ports: [{ containerPort: 80, hostPort: 81 }] }],
      });
      await create('Upper');
      await post(pods, {});
    });

    compared('have the rules of pod templates', async () => {
      for (const { container, pod } of invalidContainers) {
        await create('bad', { containers: [{ ...web, ...container }], ...pod });
      }
      for (const spec of invalidPods) await create('bad', spec as Members);
    });

    compared('can be changed in few fields', async () => {
      await merge('plain', { spec: { containers: [{ name: 'web', image: 'nginx:2' }] } });
      await merge('plain', { metadata: { labels: { a: 'b' } }, spec: { activeDeadlineSeconds: 100 } });
      await merge('plain', { spec: { activeDeadlineSeconds: 200 } });
      await merge('plain', { spec: { activeDeadlineSeconds: null } });
      await merge('plain', { spec: { tolerations: [] } });
      await merge('plain', { spec: { hostname: 'x' } });
      await merge('plain', { spec: { containers: [web, { name: 'two', image: 'x' }] } });
      await merge('plain', { spec: { schedulingGates: [{ name: 'new' }] } });
      await merge('plain', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } });
      await merge('gated', { spec: { nodeSelector: { a: 'b' } } });
      await merge('gated', { spec: { nodeSelector: { a: 'c' } } });
      await merge('gated', { spec: { schedulingGates: [] } });
      await pair.send({
        method: 'PATCH',
        path: `${pods}/plain?fieldManager=m`,
        body: JSON.stringify({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'plain' },
          spec: { terminationGracePeriodSeconds: 30 },
        }),
        headers: { 'content-type': applyPatch },
      });
    });

    compared('have a status', async () => {
      const running = {
        name: 'web',
        ready: true,
        restartCount: 2,
        image: 'nginx',
        imageID: 'x',
        state: { running: {} },
      };
      await merge('placed/status', {
        status: {
          phase: 'Running',
          podIP: '10.0.0.1',
          hostIP: '10.1.0.1',
          hostIPs: [{ ip: '10.1.0.1' }],
          observedGeneration: 1,
          conditions: [
            { type: 'Ready', status: 'True' },
            { type: '-', status: 'True', observedGeneration: -1 },
          ],
        },
      });
      await merge('placed/status', {
        metadata: { labels: { a: 'b' } },
        status: {
          phase: 'Running',
          podIP: '10.0.0.1',
          conditions: [{ type: 'Ready', status: 'True' }],
          containerStatuses: [running],
        },
      });
      await table('/placed');
      await merge('placed/status', {
        status: { qosClass: 'Guaranteed', podIPs: [{ ip: 'x' }, { ip: '10.0.0.2' }], nominatedNodeName: '-' },
      });
      await merge('placed/status', {
        status: { containerStatuses: [{ ...running, state: { terminated: { exitCode: 0 } } }] },
      });
      await table('/placed');
      await merge('placed/status', { status: { containerStatuses: [running] } });
    });

    compared('are selected by fields', async () => {
      const selectors = [
        'spec.nodeName=somewhere',
        'status.phase=Pending',
        'spec.hostNetwork=true',
        'status.podIP=10.0.0.1',
        'spec.restartPolicy=Never',
        'spec.host=',
        'spec.x=y',
      ];
      for (const selector of selectors) {
        await pair.send(
          { path: `${pods}?fieldSelector=${encodeURIComponent(selector)}`, headers: { accept: asTable } },
          { ignoredFields: age },
        );
      }
    });

    compared('have subresources that write parts of them', async () => {
      await pair.send({ path: `${pods}/plain/ephemeralcontainers` });
      await merge('plain/ephemeralcontainers', {
        spec: { hostname: 'x', ephemeralContainers: [{ name: 'e', image: 'i' }] },
      });
      await merge('plain/ephemeralcontainers', { spec: { ephemeralContainers: [{ name: 'e', image: 'j' }] } });
      await merge('plain/ephemeralcontainers', { spec: { ephemeralContainers: [] } });
      const resize = (resources: unknown) =>
        merge('guaranteed/resize', { spec: { containers: [{ ...web, resources }] } });
      await resize({ limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '2', memory: '1Gi' } });
      await resize({ limits: { cpu: '2' }, requests: { cpu: '1', memory: '1Gi' } });
      await merge('guaranteed/resize', { spec: { containers: [{ ...web, name: 'other' }] } });
    });

    compared('can be bound to a node once', async () => {
      const bind = (name: string, json: Members) => post(`${pods}/${name}/binding`, { metadata: { name }, ...json });
      await bind('other', { metadata: { name: 'plain' }, target: { name: 'n' } });
      await bind('absent', { target: { name: 'n' } });
      await bind('plain', {
        metadata: { name: 'plain', annotations: { x: 'y' } },
        target: { kind: 'Node', name: 'n1' },
      });
      await bind('plain', { target: { name: 'n2' } });
      await pair.send({ path: `${pods}/plain` });
    });

    compared('cannot be connected to', async () => {
      for (const path of [
        'a.b/log',
        'full/log',
        'full/log?container=x',
        'a.b/exec?command=x',
        'full/attach',
        'a.b/portforward',
      ]) {
        await pair.send({ path: `${pods}/${path}` });
      }
      await pair.send({ method: 'POST', path: `${pods}/a.b/exec?command=x` });
    });

    compared('can be evicted within their budget', async () => {
      const evict = (name: string, json: Members = {}) =>
        post(`${pods}/${name}/eviction`, { metadata: { name }, ...json });
      const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
      await evict('a.b', { deleteOptions: { dryRun: ['All'] } });
      await evict('a.b');
      await post(budgets, {
        metadata: { name: 'b' },
        spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
      });
      await evict('placed');
      const allow = (status: Members) =>
        pair.send({
          method: 'PATCH',
          path: `${budgets}/b/status`,
          body: JSON.stringify({ status }),
          headers: { 'content-type': mergePatch },
        });
      await allow({ observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 });
      await evict('placed');
      await allow({ disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 2 });
      await evict('placed');
      await pair.send({ path: `${budgets}/b` });
      await pair.send({ path: `${pods}/placed` });
    });

    compared('stay until they are deleted without a grace period, if they have a node', async () => {
      const remove = (name: string, json?: unknown) =>
        pair.send({ method: 'DELETE', path: `${pods}/${name}`, ...(json === undefined ? {} : { json }) });
      await remove('full');
      await remove('plain');
      await remove('plain', { gracePeriodSeconds: 40 });
      await remove('plain', { gracePeriodSeconds: 10 });
      await table('/plain');
      await remove('plain', { gracePeriodSeconds: 0 });
      await pair.send({ path: `${pods}/plain` });
    });

    compared('get the priority, the runtime class and the limits of their cluster', async () => {
      await create('unknown', { priorityClassName: 'unknown' });
      await create('critical', { priorityClassName: 'system-node-critical' });
      await create('wrong', { priority: 5 });
      await create('class', { runtimeClassName: 'none' });
      await post('/apis/node.k8s.io/v1/runtimeclasses', {
        metadata: { name: 'pods-area' },
        handler: 'h',
        overhead: { podFixed: { cpu: '1' } },
        scheduling: { nodeSelector: { r: 's' }, tolerations: [{ key: 'k', operator: 'Exists' }] },
      });
      await create('class', { runtimeClassName: 'pods-area', nodeSelector: { a: 'b' } });
      await create('class2', { runtimeClassName: 'pods-area', nodeSelector: { r: 'b' } });
      await create('overhead', { overhead: { cpu: '1' } });
      const item = {
        type: 'Container',
        default: { cpu: '500m' },
        defaultRequest: { cpu: '250m' },
        max: { cpu: '1' },
        min: { cpu: '100m' },
      };
      await post(`/api/v1/namespaces/${namespace}/limitranges`, {
        metadata: { name: 'l' },
        spec: { limits: [item, { type: 'Pod', max: { cpu: '2' } }] },
      });
      // Lists the limit ranges of the namespace first, because kube-apiserver caches for some time that a namespace has
      // no limit ranges.
      await pair.send({ path: `/api/v1/namespaces/${namespace}/limitranges` });
      await create('limited');
      await create('large', { containers: [{ ...web, resources: { limits: { cpu: '3' } } }] });
      await create('small', { containers: [{ ...web, resources: { requests: { cpu: '1m' } } }] });
    });
  });
}
