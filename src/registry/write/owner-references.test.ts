import { describe, expect, it } from 'vitest';
import { cpuMilliseconds } from '../../../test/harness/cpu-milliseconds.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { RequestContext } from '../context.ts';
import { defaultKindLimits, type KindRuntime } from '../kind-runtime.ts';
import { warnAboutFinalizers } from './finalizers.ts';
import { blockOwnerDeletionErrors, dropDuplicateOwners } from './owner-references.ts';

/** Far more than the calls take on a slow machine, and far less than a quadratic algorithm takes. */
const maxMilliseconds = 1_000;

function recordWarnings(): { readonly context: RequestContext; readonly warnings: string[] } {
  const warnings: string[] = [];
  return { warnings, context: { warn: (text: string) => warnings.push(text) } as unknown as RequestContext };
}

const objectWith = (metadata: object): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata }) as unknown as KubeObject;

describe('a write', () => {
  it('removes duplicate owners, whatever the order of their members', () => {
    const one = { apiVersion: 'v1', kind: 'A', name: 'x', uid: '1' };
    const object = objectWith({
      ownerReferences: [one, { uid: '1', name: 'x', kind: 'A', apiVersion: 'v1' }, { ...one, controller: true }],
    });
    const { context, warnings } = recordWarnings();
    dropDuplicateOwners(object, context);
    expect(object.metadata.ownerReferences).toEqual([one, { ...one, controller: true }]);
    expect(warnings).toEqual([expect.stringMatching(/duplicate UID\(s\) observed: 1$/)]);
  });

  it('with 11,000 owners or 55,000 finalizers takes little time', () => {
    const ownerReferences = Array.from({ length: 11_000 }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'A',
      name: 'x',
      uid: `${index}`,
    }));
    const names = (prefix: string) => Array.from({ length: 55_000 }, (_, index) => `example.com/${prefix}${index}`);
    const { context } = recordWarnings();
    const before = cpuMilliseconds();
    dropDuplicateOwners(objectWith({ ownerReferences }), context);
    warnAboutFinalizers(objectWith({ finalizers: names('a') }), objectWith({ finalizers: names('b') }), context);
    expect(cpuMilliseconds() - before).toBeLessThan(maxMilliseconds);
  });

  it('with too many owners is rejected without checking the permissions for each of them', async () => {
    const ownerReferences = Array.from({ length: 201 }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'A',
      name: 'x',
      uid: `${index}`,
      blockOwnerDeletion: true,
    }));
    let checks = 0;
    const may = () => {
      checks += 1;
      return true;
    };
    const resolveOwner = () => ({ group: '', resource: 'as', namespace: '', name: 'x' });
    const kind = { planeCallbacks: { resolveOwner }, limits: defaultKindLimits } as unknown as KindRuntime;
    const context = { system: false, may } as unknown as RequestContext;
    const check = (count: number) =>
      blockOwnerDeletionErrors(
        kind,
        context,
        objectWith({ ownerReferences: ownerReferences.slice(0, count) }),
        undefined,
      );
    expect([await check(201), checks]).toEqual([[], 0]);
    expect([await check(200), checks]).toEqual([[], 200]);
  });
});
