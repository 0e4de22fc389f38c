import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
const schemas = `${group}/flowschemas`;
const levels = `${group}/prioritylevelconfigurations`;
const age = /\.cells\[\d+\]$/;

/**
 * Compares flow schemas and priority levels. Does not read objects after a write, because kube-apiserver writes their
 * status at an unknown time.
 */
export function flowControlKinds(pair: Pair): void {
  describe('Flow control', () => {
    const compared = comparedTests(pair);
    const dryRun = (path: string, json: unknown) => pair.send({ method: 'POST', path: `${path}?dryRun=All`, json });
    const limited = (members: object) => ({
      type: 'Limited',
      limited: { limitResponse: { type: 'Reject' }, ...members },
    });
    const queuing = (members: object) => limited({ limitResponse: { type: 'Queue', queuing: members } });

    compared('has priority levels with defaults and rules', async () => {
      await dryRun(levels, { metadata: { name: 'bare' } });
      await dryRun(levels, { metadata: { name: 'plain' }, spec: limited({}) });
      const annotations = { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' };
      await dryRun(levels, { metadata: { name: 'bad', annotations }, spec: limited({}) });
      await dryRun(levels, { metadata: { name: 'queues' }, spec: queuing({}) });
      await dryRun(levels, { metadata: { name: 'free' }, spec: { type: 'Exempt' } });
      await dryRun(levels, {
        metadata: { name: 'bad' },
        spec: queuing({ queues: -1, handSize: 100, queueLengthLimit: -1 }),
      });
      await dryRun(levels, {
        metadata: { name: 'bad' },
        spec: limited({ nominalConcurrencyShares: -1, lendablePercent: 101 }),
      });
      await dryRun(levels, { metadata: { name: 'bad' }, spec: { type: 'x' } });
    });

    compared('has flow schemas with defaults and rules', async () => {
      const priorityLevelConfiguration = { name: 'plain' };
      const rules = [
        {
          subjects: [{ kind: 'User', user: { name: 'jane' } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
        },
      ];
      await dryRun(schemas, { metadata: { name: 'bare' } });
      await dryRun(schemas, { metadata: { name: 'plain' }, spec: { priorityLevelConfiguration, rules } });
      await dryRun(schemas, {
        metadata: { name: 'bad' },
        spec: {
          priorityLevelConfiguration: { name: 'UP' },
          matchingPrecedence: 10_001,
          distinguisherMethod: { type: 'x' },
          rules: [
            { subjects: [], resourceRules: [] },
            { subjects: [{ kind: 'Group' }], nonResourceRules: [{ verbs: [] }] },
          ],
        },
      });
    });

    compared('has columns', async () => {
      await pair.prepare({
        method: 'POST',
        path: levels,
        json: { metadata: { name: 'shown' }, spec: queuing({ queues: 4, handSize: 2 }) },
      });
      await pair.send({ path: `${levels}/shown`, headers: { accept: asTable } }, { ignoredFields: age });
      const change = JSON.stringify({ spec: { limited: { nominalConcurrencyShares: 7 } } });
      await pair.send({
        method: 'PATCH',
        path: `${levels}/shown`,
        body: change,
        headers: { 'content-type': mergePatch },
      });
      await pair.send({ method: 'DELETE', path: `${levels}/shown` });
    });
  });
}
