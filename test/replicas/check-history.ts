import { expect } from 'vitest';
import { findNonLinearizable } from './histories/linearizability.ts';
import type { RegisterOperation } from './histories/register-operation.ts';
import type { AcknowledgedChange } from './register-client.ts';
import type { WatchedChange } from './register-watcher.ts';

/** The operations of the clients, the changes that watchers received, and the stored state at the end. */
export interface RecordedHistory {
  readonly operations: readonly RegisterOperation[];
  readonly acknowledged: readonly AcknowledgedChange[];
  /** For each watcher, all changes that it received. */
  readonly watched: readonly (readonly WatchedChange[])[];
  /** The value and revision of each register at the end of the test. */
  readonly stored: ReadonlyMap<string, { readonly value: string; readonly revision: string }>;
}

/**
 * Checks that no acknowledged change is lost, that every change was requested by a client, that operations are
 * linearizable, that no revision occurs twice or goes back, and that all watchers received the same complete history.
 */
export function expectConsistentHistory({ operations, acknowledged, watched, stored }: RecordedHistory): void {
  expect(findNonLinearizable(operations)).toBeUndefined();
  const [first = [], ...others] = watched;
  for (const other of others) expect(other).toEqual(first);
  for (const [index, change] of first.entries()) {
    expect(change.revision).toBeGreaterThan(first[index - 1]?.revision ?? 0);
  }
  expectKnownChanges(first, operations);
  const revisions = new Map(first.map(({ register, value, revision }) => [`${register}=${value}`, `${revision}`]));
  for (const { register, value, revision } of acknowledged) {
    if (revision !== undefined)
      expect([register, value, revisions.get(`${register}=${value}`)]).toEqual([register, value, revision]);
  }
  const deletes = acknowledged.filter(({ value }) => value === undefined).length;
  expect(first.filter(({ value }) => value === undefined).length).toBeGreaterThanOrEqual(deletes);
  const last = new Map(first.map((change) => [change.register, change]));
  const remaining = [...last.values()].filter(({ value }) => value !== undefined);
  expect(
    new Map(remaining.map(({ register, value, revision }) => [register, { value, revision: `${revision}` }])),
  ).toEqual(new Map(stored));
}

/**
 * Checks that exactly one operation requested each change, and that this operation succeeded or has an unknown result.
 */
function expectKnownChanges(changes: readonly WatchedChange[], operations: readonly RegisterOperation[]): void {
  const possible = new Map<string, string>();
  for (const operation of operations) {
    if (operation.kind === 'change' && operation.to !== undefined) possible.set(operation.to, operation.result);
  }
  const seen = new Set<string>();
  for (const { value } of changes) {
    if (value === undefined) continue;
    expect([value, possible.get(value)]).toEqual([value, expect.stringMatching(/^(done|unknown)$/)]);
    expect([value, seen.has(value)]).toEqual([value, false]);
    seen.add(value);
  }
}
