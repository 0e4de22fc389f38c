import { decodeKey, encodeSlice } from '../key.ts';
import type { Revision } from '../store.ts';
import { RowDamagedError } from './row-checksum.ts';
import type { LoggedChange, Row, SliceHead } from './stage.ts';

/**
 * The version of the layout of the database. The first letter of a key is the type of the row:
 *
 *   d <encoded key>              a current value: `<revision> <value>`
 *   h <slice> NUL <revision>     a logged change; the revision has 16 digits, so that rows sort by revision
 *   s <slice> NUL                the head of a slice: `<revision> <floor> <changes>`
 *   m schema | identity | position | restoring | end
 *
 * Every value starts with a checksum, except `mschema`, which programs with another layout must be able to read.
 * Lengths in a change are in UTF-16 code units, as in `String.prototype.slice`.
 */
export const schemaVersion = 1;

export const schemaRowKey = 'mschema';
export const identityRowKey = 'midentity';
/**
 * The key of the row with the highest revision and the number of the last batch. Every batch has a new number, even if
 * it logs no change.
 */
export const positionRowKey = 'mposition';
/** The key of a row that exists during a restore. The directory is not a valid store until the restore has finished. */
export const restoringRowKey = 'mrestoring';

/**
 * The key of a row that never exists. When a store is closed, the last batch of the log removes this row, which changes
 * nothing.
 */
export const logEndRowKey = 'mend';

export interface StorePosition {
  readonly revision: Revision;
  readonly batch: number;
}

export interface RowRange {
  readonly gte: string;
  readonly lt: string;
}

export const dataRowRange: RowRange = { gte: 'd', lt: 'e' };
export const sliceRowRange: RowRange = { gte: 's', lt: 't' };

export function dataRowKey(text: string): string {
  return `d${text}`;
}

export function encodedKeyOfRow(row: string): string {
  return row.slice(1);
}

export function sliceRowKey(slice: string): string {
  return `s${encodeSlice(slice)}`;
}

export function sliceOfRowKey(row: string): string {
  return decodeKey(encodedKeyOfRow(row)).slice;
}

const revisionDigits = 16;

export function historyRowKey(slice: string, revision: Revision): string {
  return `h${encodeSlice(slice)}${String(revision).padStart(revisionDigits, '0')}`;
}

export function isHistoryRow(row: string): boolean {
  return row.startsWith('h');
}

/** Returns the range of history rows of a slice after revision `since`, up to and including `to`. */
export function historyRowRange(slice: string, since: Revision, to: Revision = Number.MAX_SAFE_INTEGER): RowRange {
  const first = Math.min(Math.max(since, 0), Number.MAX_SAFE_INTEGER - 1) + 1;
  return { gte: historyRowKey(slice, first), lt: `${historyRowKey(slice, to)}\u0000` };
}

export function revisionOfHistoryRow(rowKey: string): Revision {
  return Number(rowKey.slice(-revisionDigits));
}

export function encodeRow(row: Row): string {
  return rowPrefix(row) + row.value;
}

/** Returns the text that precedes the value in a stored row. */
export function rowPrefix({ revision }: Row): string {
  return `${revision} `;
}

export function decodeRow(stored: string): Row {
  const space = stored.indexOf(' ');
  return { revision: wholeNumber(stored.slice(0, space)), value: stored.slice(space + 1) };
}

export function encodePosition({ revision, batch }: StorePosition): string {
  return `${revision} ${batch}`;
}

export function decodePosition(stored: string): StorePosition {
  const [revision, batch] = stored.split(' ').map(wholeNumber);
  if (revision === undefined || batch === undefined) throw new RowDamagedError();
  return { revision, batch };
}

export function encodeSliceHead({ revision, floor, changes }: SliceHead): string {
  return `${revision} ${floor} ${changes}`;
}

export function decodeSliceHead(stored: string): SliceHead {
  const [revision, floor, changes] = stored.split(' ').map(wholeNumber);
  if (revision === undefined || floor === undefined || changes === undefined) throw new RowDamagedError();
  return { revision, floor, changes };
}

/**
 * Returns the text that precedes the value in a stored change: `<time> <previous revision or -> <length of key> <length
 * of value or -> <key>`. The value and the previous value follow.
 */
export function changePrefix({ text, change: { value, previous } }: LoggedChange, time: string): string {
  return `${time} ${previous?.revision ?? '-'} ${text.length} ${value?.length ?? '-'} ${text}`;
}

export function decodeChangeTime(stored: string): number {
  return Number(stored.slice(0, stored.indexOf(' ')));
}

/** Returns the encoded key of a stored change. Filters use it, because decoding the whole change takes longer. */
export function decodeChangeKey(stored: string): string {
  const { body, keyLength } = changeHeader(stored);
  return stored.slice(body, body + keyLength);
}

export function decodeChange(stored: string, revision: Revision): LoggedChange {
  const { body, keyLength, previousRevision, valueLength } = changeHeader(stored);
  const text = stored.slice(body, body + keyLength);
  const valueStart = body + keyLength;
  const valueEnd = valueStart + (valueLength ?? 0);
  return {
    text,
    change: {
      revision,
      key: decodeKey(text),
      ...(valueLength !== undefined && { value: stored.slice(valueStart, valueEnd) }),
      ...(previousRevision !== undefined && {
        previous: { value: stored.slice(valueEnd), revision: previousRevision },
      }),
    },
  };
}

interface ChangeHeader {
  readonly body: number;
  readonly keyLength: number;
  readonly previousRevision: number | undefined;
  readonly valueLength: number | undefined;
}

function changeHeader(stored: string): ChangeHeader {
  const first = stored.indexOf(' ');
  const second = stored.indexOf(' ', first + 1);
  const third = stored.indexOf(' ', second + 1);
  const fourth = stored.indexOf(' ', third + 1);
  if (fourth === -1) throw new RowDamagedError();
  return {
    body: fourth + 1,
    previousRevision: optionalNumber(stored.slice(first + 1, second)),
    keyLength: wholeNumber(stored.slice(second + 1, third)),
    valueLength: optionalNumber(stored.slice(third + 1, fourth)),
  };
}

function optionalNumber(text: string): number | undefined {
  return text === '-' ? undefined : wholeNumber(text);
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (text === '' || !Number.isSafeInteger(number)) throw new RowDamagedError();
  return number;
}
