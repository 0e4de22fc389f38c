import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { fieldValue } from '../../../api/selectors/select.ts';
import { Kinds, refusal } from '../kubernetes-kinds.fixture.ts';

describe('nodes', () => {
  it('get the taint of a node that is not ready, and keep the status of the create', async () => {
    const kinds = await Kinds.open();
    const status = { capacity: { cpu: '2' }, conditions: [{ type: 'Ready', status: 'True' }] };
    const node = await kinds.create('nodes', 'n', { status, spec: { podCIDR: '10.0.0.0/24' } });
    expect(node).toMatchObject({
      spec: {
        podCIDRs: ['10.0.0.0/24'],
        taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
      },
      status: { allocatable: { cpu: '2' } },
    });
    expect(kinds.cells('nodes', node).slice(0, 4)).toEqual(['n', 'Ready', '<none>', '0s']);
    expect(fieldValue(node, 'spec.unschedulable')).toBe('false');
  });

  it('refuse invalid taints, and changes of their ranges and provider', async () => {
    const kinds = await Kinds.open();
    const taint = { key: 'a', effect: 'NoSchedule' };
    expect(await refusal(kinds.create('nodes', 'bad', { spec: { taints: [taint, taint, { key: 'b' }] } }))).toContain(
      'taints must be unique by key and effect pair',
    );
    const node = await kinds.create('nodes', 'n', { spec: { providerID: 'p', podCIDR: '10.0.0.0/24' } });
    const spec = { ...(node.spec as JsonObject), providerID: 'q', podCIDR: '10.0.1.0/24', podCIDRs: ['10.0.1.0/24'] };
    const message = await refusal(kinds.update('nodes', node, { spec }));
    expect(message).toContain('may not change podCIDR');
    expect(message).toContain('may not change providerID');
  });

  it('have a status that is written on its own', async () => {
    const kinds = await Kinds.open();
    const node = await kinds.create('nodes', 'n');
    const address = { type: 'InternalIP', address: '10.0.0.1' };
    const next = await kinds.updateStatus('nodes', node, {
      status: { addresses: [address] },
      spec: { unschedulable: true },
    });
    expect(next).toMatchObject({ status: { addresses: [address] }, spec: node.spec });
    expect(await refusal(kinds.updateStatus('nodes', next, { status: { addresses: [address, address] } }))).toContain(
      'status.addresses[1]: Duplicate value',
    );
  });
});
