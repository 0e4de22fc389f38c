import type { StoredRecord } from '../resource.ts';

/** The encoded text of a record, ready to be stored. */
export interface EncodedRecord {
  readonly text: string;
  /** The record that `decodeRecord` would return for the text, if the encoder already has it. */
  readonly record?: StoredRecord;
}
