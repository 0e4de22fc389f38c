import { expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { ManualClock } from '../../lib/clock.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { newWidget, widgetResource } from '../widgets.fixture.ts';
import { type ApplyWrite, applyWrite } from './apply-write.ts';
import { trackWrite } from './track-write.ts';

const kind = { resource: widgetResource, clock: new ManualClock() } as unknown as KindRuntime;
const writer = { manager: 'm', subresource: '' };

function statusOf(write: Partial<ApplyWrite>): StatusError['status'] {
  try {
    applyWrite(kind, writer, { applied: newWidget('w'), force: false, ...write });
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error('nothing was thrown');
}

it('an apply gets 400 for another kind and for managedFields in the body (SSA-01, SSA-03)', () => {
  expect(statusOf({ applied: { ...newWidget('w'), kind: 'Other' } })).toMatchObject({
    code: 400,
    reason: 'BadRequest',
    message: 'invalid object type: test.example/v1, Kind=Other',
  });
  expect(statusOf({ applied: newWidget('w', { metadata: { managedFields: [] } }) })).toMatchObject({
    code: 400,
    reason: 'BadRequest',
    message: 'metadata.managedFields must be nil',
  });
});

it('an apply gets 422 for a field that is not in the schema (SSA-05)', () => {
  const status = statusOf({ applied: newWidget('w', { spec: { foo: 1 } }) });
  expect(status).toMatchObject({ code: 422, reason: 'Invalid', details: {} });
  expect(status.message).toBe(
    'failed to create typed patch object (/w; test.example/v1, Kind=Widget): .spec.foo: field not declared in schema',
  );
});

it('an apply gets 409 with one cause per conflict (SSA-09, SSA-11, SSA-12)', () => {
  const spec = { color: 'red', size: 1 };
  const live = trackWrite(kind, { manager: 'editor', subresource: '' }, newWidget('w', { spec }));
  const status = statusOf({ live, applied: newWidget('w', { spec: { color: 'blue', size: 2 } }) });
  expect(status).toMatchObject({ code: 409, reason: 'Conflict' });
  expect(status.message).toBe(
    'Apply failed with 2 conflicts: conflicts with "editor" using test.example/v1:\n- .spec.color\n- .spec.size',
  );
  const cause = { reason: 'FieldManagerConflict', message: 'conflict with "editor" using test.example/v1' };
  expect(status.details).toEqual({
    causes: [
      { ...cause, field: '.spec.color' },
      { ...cause, field: '.spec.size' },
    ],
  });
});
