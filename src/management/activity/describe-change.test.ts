import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { nonDeletableAnnotation, sleepForceAnnotation } from '../../api/naming.ts';
import type { SharedObject } from '../shared-fields.ts';
import { describeChange } from './describe-change.ts';

const object = (members: JsonObject = {}, metadata: JsonObject = {}): SharedObject =>
  ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', ...metadata }, ...members }) as SharedObject;
const phase = (name: string, message = '') => object({ status: { phase: name, message } });
const byClient = (old: SharedObject | undefined, next: SharedObject | undefined) =>
  describeChange(old, next, { isByServer: false });
const byServer = (old: SharedObject | undefined, next: SharedObject | undefined) =>
  describeChange(old, next, { isByServer: true });

describe('describeChange', () => {
  it('names changed fields without their values', () => {
    const next = object(
      { spec: { description: 'new', owner: { user: 'anna' } } },
      { annotations: { note: 'value', [nonDeletableAnnotation]: 'true' } },
    );
    expect(byClient(object({ spec: { description: 'old' } }), next)).toEqual({
      action: 'Changed',
      type: 'Normal',
      message: 'changed spec.description, spec.owner, metadata.annotations, the protection from deletion',
    });
  });

  it('does not mistake inherited members of JavaScript objects for labels', () => {
    const labels = { constructor: 'a', toString: 'b' };
    expect(byClient(object(), object({}, { labels }))?.message).toBe('changed metadata.labels');
  });

  it('ignores heartbeats and the bookkeeping of the server', () => {
    const last = { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } };
    expect(byClient(object(), object({}, last))).toBeUndefined();
    expect(byServer(object(), object({ spec: { clusterRef: { cluster: 'local' } } }))).toBeUndefined();
    expect(byServer(undefined, object())).toBeUndefined();
  });

  it('says who got access and who lost it', () => {
    const old = object({ spec: { members: [{ kind: 'User', name: 'anna' }] } });
    const next = object({ spec: { members: [{ kind: 'Team', name: 'crew' }] } });
    expect(byClient(old, next)?.message).toBe('gave access to team crew and removed the access of user anna');
  });

  it('records requests to sleep and to wake', () => {
    const asleep = object({}, { annotations: { [sleepForceAnnotation]: 'true' } });
    expect(byClient(object(), asleep)?.action).toBe('SleepRequested');
    expect(byClient(asleep, object())?.action).toBe('WakeRequested');
  });

  it('records changes of the phase', () => {
    expect(byServer(phase('Pending'), phase('Ready'))?.action).toBe('Ready');
    expect(byServer(phase('Ready'), phase('Sleeping'))?.action).toBe('Slept');
    expect(byServer(phase('Sleeping'), phase('Pending'))?.action).toBe('Woke');
    expect(byServer(phase('Failed'), phase('Ready'))?.action).toBe('Recovered');
    expect(byServer(phase('Ready'), phase('Pending'))).toBeUndefined();
    const failed = byServer(phase('Ready'), phase('Failed', 'm'.repeat(1_000)));
    expect(failed).toMatchObject({ action: 'Failed', type: 'Warning' });
    expect(failed?.message.length).toBe(300);
  });

  it('records a deletion once, when it starts', () => {
    const terminating = object({}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(byClient(object(), terminating)?.action).toBe('Deleted');
    expect(byServer(terminating, undefined)).toBeUndefined();
    expect(byServer(object(), undefined)?.message).toBe('deleted by the server');
  });
});
