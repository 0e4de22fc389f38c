import type { StoredRecord } from '../resource.ts';

/** A record that is encoded as text for the store. */
export interface EncodedRecord {
  readonly text: string;
  /** The record that `decodeRecord` would return for the text, if the encoder already has it. */
  readonly record?: StoredRecord;
}
