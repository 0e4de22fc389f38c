import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../../store/memory.ts';
import { gatedStore } from '../../store/replicas.fixture.ts';
import { AgentAuditPositions } from './agent-audit-positions.ts';

describe('the positions of agents’ audit logs', () => {
  it('are the same for all replicas', async () => {
    const shared = openMemoryStore();
    const [one, two] = [gatedStore(shared), gatedStore(shared)].map(({ store }) => new AgentAuditPositions(store));
    if (one === undefined || two === undefined) throw new Error('two replicas');
    expect(await one.next('edge', 'log')).toBe(0);
    await one.advance('edge', 'log', 5);
    expect(await two.next('edge', 'log')).toBe(5);
    expect(await two.next('other', 'log')).toBe(0);
    await two.advance('edge', 'log', 3);
    expect(await one.next('edge', 'log')).toBe(5);
  });

  it('survive concurrent confirmations of several replicas', async () => {
    const shared = openMemoryStore();
    const replicas = [gatedStore(shared), gatedStore(shared), gatedStore(shared)];
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const { store } = replicas[index % 3] ?? { store: shared };
        return new AgentAuditPositions(store).advance('edge', `log-${index % 2}`, index + 1);
      }),
    );
    const positions = new AgentAuditPositions(shared);
    expect([await positions.next('edge', 'log-0'), await positions.next('edge', 'log-1')]).toEqual([29, 30]);
  });

  it('are limited in number, and removed with their cluster', async () => {
    const shared = openMemoryStore();
    const positions = new AgentAuditPositions(shared);
    for (let index = 0; index < 100; index++) await positions.advance('edge', `log-${index}`, 1);
    expect([await positions.next('edge', 'log-0'), await positions.next('edge', 'log-99')]).toEqual([0, 1]);
    const { entries } = await shared.list({ slice: 'audit', prefix: [] });
    expect(entries.map(({ value }) => value.length < 1_000)).toEqual([true]);
    await positions.forget('edge');
    expect(await positions.next('edge', 'log-99')).toBe(0);
  });
});
