import { describe, expect, it } from 'vitest';
import { hostIsolationAnnotation } from '../../../api/naming.ts';
import type { InstallRequest } from '../../host.ts';
import type { HostContext } from '../release/host-context.ts';
import { isolateNamespace, namespaceMetadata } from './isolate-namespace.ts';

const enforce = 'pod-security.kubernetes.io/enforce';
const labelsOf = (request: Omit<InstallRequest, 'location' | 'owner'>) =>
  namespaceMetadata({ location: { namespace: 'n', name: 'v' }, owner: 'o', ...request }).labels;

describe('the labels of a host namespace', () => {
  it('enforce the level of the isolation, and baseline without one', () => {
    expect(labelsOf({})).toEqual({ [enforce]: 'baseline' });
    expect(labelsOf({ isolation: { podSecurity: 'privileged' } })).toEqual({ [enforce]: 'privileged' });
  });

  it('contain those of the template except reserved ones; a stored level only counts if it is stricter', () => {
    const space = (level: string) => ({ labels: { team: 'red', [enforce]: level, 'platform.sh/owner': 'other' } });
    expect(labelsOf({ space: space('privileged') })).toEqual({ team: 'red', [enforce]: 'baseline' });
    expect(labelsOf({ space: space('restricted') })).toEqual({ team: 'red', [enforce]: 'restricted' });
    expect(labelsOf({ space: space('nonsense') })).toEqual({ team: 'red', [enforce]: 'baseline' });
  });
});

describe('the network policies of a host namespace', () => {
  /** Isolates a namespace that has the objects in `applied`. Returns the names of written and deleted network policies. */
  async function policiesOf(location: InstallRequest['location'], applied = '') {
    const written: string[] = [];
    const deleted: string[] = [];
    const work = {
      hostClient: {
        resource: () => ({
          get: async () => ({ metadata: { name: 'n', annotations: { [hostIsolationAnnotation]: applied } } }),
          async patch() {},
        }),
      },
      ownApi: {
        async send({ method, path }: { readonly method: string; readonly path: string }) {
          const [, name] = /networkpolicies\/([^?]+)/.exec(path) ?? [];
          if (name !== undefined) (method === 'DELETE' ? deleted : written).push(name);
          return {
            status: 200,
            headers: {},
            body: (async function* () {
              yield Buffer.from('{}');
            })(),
          };
        },
      },
    } as unknown as HostContext;
    const isolation = { isolateNetwork: true, deniedEgressCIDRs: ['10.0.0.0/8'] };
    await isolateNamespace(work, { location, owner: 'o', isolation }, new AbortController().signal);
    return { written: written.sort(), deleted: deleted.sort() };
  }

  it('let the control plane of a virtual cluster reach the host and be reached', async () => {
    expect((await policiesOf({ namespace: 'n', name: 'v' })).written).toEqual([
      'flotilla-isolation',
      'flotilla-isolation-api',
      'flotilla-isolation-control-plane',
      'flotilla-isolation-egress',
    ]);
  });

  it('make no exception in a space, where any pod could have the labels of a control plane', async () => {
    const applied = 'network,egress-control-plane,egress';
    expect(await policiesOf({ namespace: 'n', name: '' }, applied)).toEqual({
      written: ['flotilla-isolation', 'flotilla-isolation-egress'],
      deleted: ['flotilla-isolation-control-plane'],
    });
  });
});
