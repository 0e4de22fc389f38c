import { describe, expect, it } from 'vitest';
import type { ActiveAccessKey, PolicyLine } from '../../api/agent/policy-feed.ts';
import { PolicyReplica } from './policy-replica.ts';

const key = (name: string, mark = 'm'): ActiveAccessKey => ({
  name,
  uid: `u-${name}`,
  mark,
  user: { name, groups: [] },
  scopes: [],
});
const begin: PolicyLine = { type: 'BEGIN', installation: 'i', apiPrefix: 'p', serviceAccountTokens: true, time: 1 };
const synced: PolicyLine = { type: 'SYNCED', time: 2 };
const project = (name: string, spec = {}): PolicyLine => ({
  type: 'OBJECT',
  kind: 'Project',
  object: { metadata: { name }, spec },
});

function setUp() {
  const told: string[] = [];
  const replica = new PolicyReplica({
    onKeysChanged: (names) => told.push(`keys ${[...names].sort().join(',')}`),
    onObjectChanged: (kind, before, after) =>
      told.push(`${kind} ${before === undefined ? 'none' : 'some'} ${after === undefined ? 'none' : 'some'}`),
  });
  const take = (...lines: PolicyLine[]) => {
    for (const line of lines) replica.apply(line);
  };
  return { replica, told, take };
}

describe('the policy replica', () => {
  it('takes effect only when the sync is complete', () => {
    const { replica, take, told } = setUp();
    take(begin, project('p'), { type: 'KEY', key: key('k') });
    expect([replica.header, replica.project('p'), replica.key('k'), told]).toEqual([
      undefined,
      undefined,
      undefined,
      [],
    ]);
    take(synced);
    expect(replica.header?.installation).toBe('i');
    expect(replica.project('p')?.metadata.name).toBe('p');
    expect(replica.key('k')?.uid).toBe('u-k');
    expect(told).toEqual(['Project none some', 'keys k']);
  });

  it('stays in effect during a resync, which removes objects that it does not contain', () => {
    const { replica, take, told } = setUp();
    take(begin, project('p'), project('q'), { type: 'KEY', key: key('k') }, { type: 'KEY', key: key('l') }, synced);
    told.length = 0;
    take(begin, project('q'), { type: 'KEY', key: key('l', 'another') });
    expect(replica.project('p')).toBeDefined();
    expect(replica.key('k')).toBeDefined();
    take(synced);
    expect([replica.project('p'), replica.key('k')]).toEqual([undefined, undefined]);
    expect(replica.key('l')?.mark).toBe('another');
    expect(told.sort()).toEqual(['Project some none', 'Project some some', 'keys k,l']);
  });

  it('starts over after an interrupted sync', () => {
    const { replica, take } = setUp();
    take(begin, project('p'), synced, begin, project('half'));
    take(begin, project('q'), synced);
    expect([replica.project('p'), replica.project('half')]).toEqual([undefined, undefined]);
    expect(replica.project('q')).toBeDefined();
  });

  it('applies changes at once', () => {
    const { replica, take, told } = setUp();
    take(begin, synced, project('p'), { type: 'KEY', key: key('k') });
    take({ type: 'NO_OBJECT', kind: 'Project', namespace: '', name: 'p' }, { type: 'NO_KEY', name: 'k' });
    expect([replica.project('p'), replica.key('k')]).toEqual([undefined, undefined]);
    expect(told).toEqual(['Project none some', 'keys k', 'Project some none', 'keys k']);
  });

  it('can be written as feed lines and read again', () => {
    const { replica, take } = setUp();
    take(begin, { type: 'SIGNING_KEYS', keys: { keys: [] } }, project('p'), { type: 'KEY', key: key('k') }, synced);
    const again = setUp();
    again.take(...replica.lines(), synced);
    expect([...again.replica.lines()]).toEqual([...replica.lines()]);
  });
});
