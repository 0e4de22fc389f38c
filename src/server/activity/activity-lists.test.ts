import { beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../controlplane/system-context.ts';
import { ManualClock } from '../../lib/clock.ts';
import { activityRecords } from '../../management/activity/activity-records.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { ListOptions } from '../../registry/verbs.ts';
import { openSealer } from '../../seal/open-sealer.ts';
import { openTestStore } from '../../store/test-store.fixture.ts';
import { openActivityLog } from './open-activity-log.ts';

const clock = new ManualClock(Date.parse('2026-01-01T00:00:00Z'));
const store = openTestStore({ clock });
const log = openActivityLog({ store, retention: { added() {} } });
const sealer = openSealer(Buffer.alloc(32, 7));
const { verbs } = activityRecords({ activity: log, sealer }, { freshRevision: async () => 1 });

const all: ListOptions = { limit: 0, continue: '', resourceVersion: '', resourceVersionMatch: '' };
const list = async (options: Partial<ListOptions>, context: Partial<RequestContext> = {}) => {
  const listed = await verbs.list?.({ ...systemContext(''), ...context }, { ...all, ...options });
  if (listed === undefined) throw new Error('records can be listed');
  return listed;
};
const onlyMine = (object: { readonly metadata: { readonly namespace?: string } }) =>
  object.metadata.namespace === 'p-mine';

beforeAll(async () => {
  const add = (namespace: string) => {
    clock.advance(1);
    const involvedObject = { kind: 'Project', name: 'x', uid: 'y' };
    const stored = { action: 'Changed', type: 'Normal', message: 'm', involvedObject, readers: {} } as const;
    return log.writesOf(namespace, { ...stored, time: clock.now() });
  };
  await store.transact({ writes: [...add('p-mine')] });
  for (let done = 0; done < 4_100; done += 50) {
    await store.transact({ writes: Array.from({ length: 50 }, () => add('p-secret-project')).flat() });
  }
});

describe('a list of activity records of all projects', () => {
  it('shows in its continue tokens neither names nor times of what the caller may not read', async () => {
    const first = await list({}, { mayRead: onlyMine });
    expect(first.items).toEqual([]);
    const token = first.continue ?? '';
    expect(token).toMatch(/^[\w.-]+$/);
    const readable = [token, ...token.split('.').map((part) => Buffer.from(part, 'base64url').toString())].join(' ');
    expect(readable).not.toContain('secret-project');
    expect(readable).not.toMatch(/8232\d{9}/);
    const second = await list({ continue: token }, { mayRead: onlyMine });
    expect(second.items.map(({ object }) => object.metadata.namespace)).toEqual(['p-mine']);
    expect(second.continue).toBeUndefined();
  });

  it('accepts only tokens of this server for the same list', async () => {
    const made = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: -1, start: 'p-mine/1\u0000' }));
    const { continue: other = '' } = await list({ limit: 1 }, { namespace: 'p-secret-project' });
    expect(other).not.toBe('');
    for (const token of [made.toString('base64url'), other, 's1.AAAA', 'x']) {
      await expect(list({ continue: token }), token).rejects.toMatchObject({ code: 400 });
    }
  });
});
