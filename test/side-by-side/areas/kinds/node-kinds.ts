import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const nodes = '/api/v1/nodes';
const age = /\.cells\[\d+\]$/;

/** Compares nodes. No kubelet runs, so the subresource `proxy` is not compared. */
export function nodeKinds(pair: Pair): void {
  describe('Nodes', () => {
    const compared = comparedTests(pair);
    const post = (name: string, members: object = {}, metadata: object = {}) =>
      pair.send({ method: 'POST', path: nodes, json: { metadata: { name, ...metadata }, ...members } });
    const merge = (path: string, change: unknown) =>
      pair.send({
        method: 'PATCH',
        path: `${nodes}/${path}`,
        body: JSON.stringify(change),
        headers: { 'content-type': mergePatch },
      });

    compared('get the taint of a node that is not ready, and keep their status', async () => {
      const rows = pair.sides.map(async (side) => {
        const { resources } = JSON.parse((await side.send({ path: '/api/v1' })).text);
        return resources.filter(({ name }: { name: string }) => name === 'nodes' || name === 'nodes/status');
      });
      const [theirs, ours] = await Promise.all(rows);
      pair.compareValues('nodes in discovery', theirs, ours);
      await post('bare');
      await post('full', {
        spec: {
          podCIDR: '10.0.0.0/24',
          providerID: 'p://1',
          configSource: { configMap: { name: 'c', namespace: 'd', kubeletConfigKey: 'k' } },
          taints: [{ key: 'example.com/a', value: 'b', effect: 'NoExecute' }],
        },
        status: {
          capacity: { cpu: '2', memory: '1.00001Gi', pods: '110' },
          config: { error: 'e' },
          conditions: [{ type: 'Ready', status: 'True' }],
          addresses: [
            { type: 'InternalIP', address: '10.1.1.1' },
            { type: 'ExternalIP', address: '1.1.1.1' },
          ],
          nodeInfo: { kubeletVersion: 'v1.36.3', kernelVersion: '6.1', architecture: 'amd64', swap: { capacity: 1 } },
        },
      });
      await post('tainted', { spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] } });
      await post('ranges', { spec: { podCIDR: '10.0.1.0/24', podCIDRs: ['10.0.2.0/24', 'fd00::/64'] } });
      await post('dual', { spec: { podCIDRs: ['10.0.2.0/24', 'FD00::/64'], externalID: 'x' } });
      await pair.send({ path: `${nodes}/full`, headers: { accept: asTable } }, { ignoredFields: age });
      await pair.send(
        { path: nodes, headers: { accept: asTable } },
        { ignoredFields: /cells\[3\]$|remainingItemCount/ },
      );
    });

    compared('have rules', async () => {
      await post('Upper');
      await post('bad', {
        spec: {
          podCIDRs: ['10.0.0.1/24', 'x', '10.0.0.0/8'],
          taints: [
            { key: '-', value: '*', effect: 'Maybe' },
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', effect: 'NoSchedule' },
            { key: '' },
          ],
        },
        status: {
          capacity: { pods: '-1.5' },
          declaredFeatures: ['b', 'B', 'B', 'A/b'],
          nodeInfo: { swap: { capacity: 0 } },
        },
      });
      await post('four', { spec: { podCIDRs: ['10.0.0.0/8', '11.0.0.0/8'] } });
      const signature = { podSignature: { podController: { controller: false, kind: 'a', name: 'b', uid: 'c' } } };
      await post(
        'annotated',
        {},
        {
          annotations: {
            'scheduler.alpha.kubernetes.io/taints': '[{"key":"a"}]',
            'scheduler.alpha.kubernetes.io/preferAvoidPods': JSON.stringify({ preferAvoidPods: [{}, signature] }),
          },
        },
      );
    });

    compared('can be changed in part', async () => {
      await merge('full', { spec: { providerID: 'other', podCIDRs: ['10.0.9.0/24'], externalID: 'y' } });
      await merge('full', { spec: { podCIDR: '' } });
      await merge('full', {
        spec: { unschedulable: true, taints: null },
        metadata: { labels: { 'kubernetes.io/role': 'r' } },
      });
      await merge('full', { metadata: { labels: { 'node-role.kubernetes.io/edge': '' } } });
      await merge('bare', { spec: { providerID: 'p://2', podCIDR: '10.0.3.0/24' }, status: { phase: 'Running' } });
      await merge('bare', { spec: { taints: [{ key: 'a' }] } });
      await merge('bare/status', {
        status: { phase: 'Running' },
        spec: { unschedulable: true },
        metadata: { labels: { a: 'b' } },
      });
      const address = { type: 'InternalIP', address: '10.1.1.1' };
      await merge('bare/status', { status: { capacity: { pods: '0.5' }, addresses: [address, address] } });
      await merge('bare/status', {
        status: { conditions: [{ type: 'Ready', status: 'False' }], config: { error: 'e' } },
      });
      await pair.send({
        method: 'PATCH',
        path: `${nodes}/bare?fieldManager=m`,
        body: JSON.stringify({
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: 'bare' },
          spec: { unschedulable: true },
        }),
        headers: { 'content-type': applyPatch },
      });
      await pair.send({ path: nodes, headers: { accept: asTable } }, { ignoredFields: /cells\[3\]$/ });
    });

    compared('are selected by fields', async () => {
      for (const selector of [
        'spec.unschedulable=true',
        'spec.unschedulable=false',
        'metadata.name=full',
        'spec.x=y',
      ]) {
        await pair.send({ path: `${nodes}?fieldSelector=${encodeURIComponent(selector)}` });
      }
      await pair.send({ method: 'DELETE', path: `${nodes}/full` });
      await pair.send({ method: 'DELETE', path: nodes });
    });
  });
}
