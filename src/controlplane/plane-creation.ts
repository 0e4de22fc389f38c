import { randomUUID } from 'node:crypto';
import { timestamp } from '../api/meta.ts';
import type { ApiSet } from '../api/storage/api-set.ts';
import type { Clock } from '../lib/clock.ts';
import type { PlaneCreation } from '../registry/cache/builtin-object.ts';
import { withStatusErrors } from '../registry/store-status.ts';
import type { Key } from '../store/key.ts';
import type { Entry, Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { builtinObjectsVersion } from './builtin-objects-version.ts';

/**
 * The stored row that marks a control plane as created. It contains the creation time (`born`), a random `seed`, the
 * set of kinds that the plane serves (`api`), and the digest and the version of the built-in objects (`standing`,
 * `standingVersion`). The row's revision is the resourceVersion of the built-in objects. If a new release changes these
 * objects, the row is rewritten, so that watches receive the change. In a shared store, a release never replaces the
 * digest of a newer one.
 */
interface CreationRow {
  readonly born: string;
  readonly seed: string;
  readonly standing: string;
  /** Absent in rows of releases without versions. */
  readonly standingVersion?: number;
  /** Absent for the minimal set, and in rows of releases without sets of kinds. */
  readonly api?: ApiSet;
}

export function planeCreationKey(slice: string): Key {
  return { slice, segments: ['born'] };
}

/** The values of a new creation row. */
export interface NewPlane {
  readonly clock: Clock;
  readonly builtinDigest: string;
  /** Optional; defaults to the version of this release. */
  readonly builtinVersion?: number;
  /** Optional; defaults to `minimal`. */
  readonly api?: ApiSet;
}

export function planeCreationRowText(plane: NewPlane): string {
  const { clock, builtinDigest, builtinVersion = builtinObjectsVersion, api = 'minimal' } = plane;
  return JSON.stringify({
    born: timestamp(clock.now()),
    seed: randomUUID(),
    standing: builtinDigest,
    standingVersion: builtinVersion,
    ...(api === 'minimal' ? {} : { api }),
  } satisfies CreationRow);
}

/** Returns the set of kinds that a plane serves, from the value of its creation row. */
export function planeApiOf(value: string): ApiSet {
  return (JSON.parse(value) as CreationRow).api ?? 'minimal';
}

/** True if the value of a creation row contains this digest of the built-in objects. */
export function hasBuiltinObjects(value: string, builtinDigest: string): boolean {
  return (JSON.parse(value) as CreationRow).standing === builtinDigest;
}

/** Reads the creation row of a plane. Returns `undefined` if the plane does not exist. */
export async function readPlaneCreationRow(store: Store, slice: string): Promise<Entry | undefined> {
  return await withStatusErrors(store.get(planeCreationKey(slice)));
}

export interface PlaneCreationOptions {
  readonly store: Store;
  readonly slice: string;
  readonly clock: Clock;
  /** The digest of the objects that every plane has without stored rows, in the current release. */
  readonly builtinDigest: string;
  /** The version of the built-in objects. Optional; defaults to the version in this release. */
  readonly builtinVersion?: number;
  /**
   * The creation row of the plane, if the caller has already read it. If the plane was removed after that, it is not
   * created again. Optional; if absent, this function reads the row.
   */
  readonly read?: Entry | undefined;
}

/** The creation of a plane, and whether a newer release has written the built-in objects of the plane. */
export interface EnsuredPlane extends PlaneCreation {
  /** True if a server of a newer release, with other built-in objects, uses the plane too. */
  readonly hasNewerBuiltinObjects: boolean;
}

/** Thrown if a plane was removed before it was completely opened. */
export class PlaneRemovedError extends Error {
  constructor(slice: string) {
    super(`the control plane ${slice} was removed while it was opened`);
  }
}

/**
 * Returns the creation time, the seed and the revision of a plane. Creates the plane if it does not exist and the caller
 * has not read its creation row. Rejects with PlaneRemovedError.
 */
export async function ensurePlaneCreated(options: PlaneCreationOptions): Promise<EnsuredPlane> {
  const { store, slice, clock, builtinDigest, builtinVersion = builtinObjectsVersion, read } = options;
  const key = planeCreationKey(slice);
  for (let row = read; ; row = undefined) {
    row ??= await readPlaneCreationRow(store, slice);
    if (row === undefined && read !== undefined) throw new PlaneRemovedError(slice);
    const known = row && (JSON.parse(row.value) as CreationRow);
    const isSame = known?.standing === builtinDigest;
    const isNewer = store.isShared && known !== undefined && !isSame && wins(known, builtinDigest, builtinVersion);
    if (row !== undefined && known !== undefined && (isSame || isNewer)) {
      const { seed, born: createdAt } = known;
      return { seed, createdAt, revision: row.revision, hasNewerBuiltinObjects: isNewer };
    }
    const value =
      known === undefined
        ? planeCreationRowText({ clock, builtinDigest, builtinVersion })
        : JSON.stringify({ ...known, standing: builtinDigest, standingVersion: builtinVersion });
    await writeUnlessChanged(store, row, { key, value });
  }
}

/**
 * True if the built-in objects of the row take precedence over the built-in objects with the given digest and version.
 * The higher version takes precedence. If the versions are equal, the greater digest does, so servers never keep
 * replacing each other's row.
 */
function wins({ standing, standingVersion = 0 }: CreationRow, digest: string, version: number): boolean {
  return standingVersion === version ? standing > digest : standingVersion > version;
}

/** Writes the creation row unless it was changed concurrently. The caller reads the row again in both cases. */
async function writeUnlessChanged(store: Store, old: Entry | undefined, write: { key: Key; value: string }) {
  try {
    await store.transact({ checks: [{ key: write.key, revision: old?.revision }], writes: [write], usesReserve: true });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'CheckFailed') await withStatusErrors(Promise.reject(error));
  }
}
