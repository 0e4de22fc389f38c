import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../api/meta.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { silentLog } from '../../../lib/log.ts';
import { openKindStore } from '../../../registry/open-kind-store.ts';
import { mountStoredKind, storedVerbs } from '../../../registry/verbs/stored-verbs.ts';
import { openMemoryStore } from '../../../store/memory.ts';
import { systemContext } from '../../system-context.ts';
import { readOnlyNamespaces } from './namespaces.ts';

async function open() {
  const clock = new ManualClock();
  return openKindStore({
    resource: readOnlyNamespaces,
    store: openMemoryStore({ clock }),
    slice: 'plane',
    clock,
    log: silentLog,
    planeCallbacks: { namespaceState: () => 'missing', resolveOwner: () => undefined },
  });
}

const writing = { dryRun: false, fieldManager: 'server', fieldValidation: 'Strict' } as const;
const sent = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' }, status: { phase: 'Odd' } } as KubeObject;

describe('read-only namespaces', () => {
  it('are Active from their creation (KUBECTL-34)', async () => {
    const namespaces = await open();
    const { object } = await namespaces.verbs.create(systemContext(''), sent, writing);
    expect(object.status).toEqual({ phase: 'Active' });
  });

  it('offer clients only get, list and watch (REQ-12)', async () => {
    expect(Object.keys(storedVerbs(await open()))).toEqual(['get', 'list', 'watch']);
    const { status } = mountStoredKind(await open()).subresources;
    expect(Object.keys(status?.verbs ?? {})).toEqual(['get']);
  });
});
