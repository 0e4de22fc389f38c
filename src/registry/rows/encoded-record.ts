import type { StoredRecord } from '../resource.ts';

/** A record to be stored. */
export interface EncodedRecord {
  readonly text: string;
  /** The result of `decodeRecord` for the text, if it is known without decoding. */
  readonly record?: StoredRecord;
}
