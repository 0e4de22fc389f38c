import type { ErrorCodec } from '../../lib/link/message-link.ts';
import type { Key, KeyRange } from '../key.ts';
import type {
  Change,
  DumpRow,
  Entry,
  HistoryChunk,
  HistoryOptions,
  ListOptions,
  ListResult,
  Revision,
  Transaction,
} from '../store.ts';
import { StoreError, type StoreErrorCode } from '../store-error.ts';

/*
 * The messages between a store and a client of it in another thread: `serveStore` answers them, `connectStore` sends
 * them. Each method corresponds to the method of `Store` with the same name.
 */

/** The number that the client has given to an observation. */
export type ObservationId = number;

/** The methods that the thread of the store offers. */
export interface StoreServerMethods {
  get(key: Key): Promise<Entry | undefined>;
  /** Returns the last entries of a list. Earlier entries are sent before with `listed`, so no message is very long. */
  list(request: {
    readonly id: number;
    readonly range: KeyRange;
    readonly options: ListOptions | undefined;
  }): Promise<ListResult>;
  transact(transaction: Transaction): Promise<readonly (Revision | undefined)[]>;
  removePrefix(range: KeyRange): Promise<void>;
  revision(slice: string): Revision | Promise<Revision>;
  /** Starts an observation. Its changes are sent with `changes`, possibly before this call returns. */
  observe(request: { readonly id: ObservationId; readonly range: KeyRange; readonly since: Revision }): Promise<void>;
  stopObserving(id: ObservationId): void;
  history(request: {
    readonly range: KeyRange;
    readonly since: Revision;
    readonly options: HistoryOptions | undefined;
  }): Promise<HistoryChunk>;
  compact(request: { readonly slice: string; readonly upTo: Revision }): Promise<void>;
  assertWritable(): Promise<void>;
  /** Starts a dump and returns its number. */
  openDump(): number;
  /** Returns the next rows of a dump; none after the last row. */
  readDump(dump: number): Promise<readonly DumpRow[]>;
  closeDump(dump: number): void;
}

/** The methods that the client offers. */
export interface StoreClientMethods {
  /** Delivers the next entries of the list with this number. */
  listed(part: { readonly id: number; readonly entries: readonly Entry[] }): void;
  changes(event: { readonly id: ObservationId; readonly changes: readonly Change[] }): void;
  ended(event: { readonly id: ObservationId; readonly error: EncodedStoreError }): void;
}

export interface EncodedStoreError {
  readonly code: StoreErrorCode;
  readonly message: string;
  readonly detail: number | undefined;
}

export function encodeStoreError({ code, message, detail }: StoreError): EncodedStoreError {
  return { code, message, detail };
}

export function decodeStoreError({ code, message, detail }: EncodedStoreError): StoreError {
  return new StoreError(code, message, detail);
}

/** Encodes the errors of a store. An unexpected error of the other thread becomes an Error with the same text. */
export const storeErrors: ErrorCodec = {
  encode: (error) => (error instanceof StoreError ? encodeStoreError(error) : String(error)),
  decode: (encoded) =>
    typeof encoded === 'string' ? new Error(encoded) : decodeStoreError(encoded as EncodedStoreError),
};
