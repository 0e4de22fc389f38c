import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { type KeyValue, readHeader, readKeyValue } from './messages.ts';
import { readFields, readInteger, readText, writeFlag, writeInteger, writeMessage, writeText } from './wire.ts';

/** Starts a watch on a stream. */
export interface WatchRequest {
  readonly key: string;
  readonly rangeEnd: string;
  /** The etcd revision of the first event. */
  readonly startRevision: number;
  /** True if etcd must add the previous value to each event. */
  readonly withPrevious: boolean;
}

/** A write or a removal of one key. */
export interface WatchEvent {
  /**
   * The key after the write. After a removal, it has no value, and `modRevision` is the etcd revision of the removal.
   */
  readonly kv: KeyValue;
  readonly isRemoval: boolean;
  /** The key before the write. Also absent if etcd has compacted the revision before the write. */
  readonly previous?: KeyValue;
}

export interface WatchResponse {
  /** The etcd revision of the member when it sent this response. */
  readonly revision: number;
  readonly created: boolean;
  readonly canceled: boolean;
  /** The oldest etcd revision that is available, if the watch was canceled because its start was compacted. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  /** True if the next response continues this one, possibly with events of the same etcd revision. */
  readonly isFragment: boolean;
  readonly events: readonly WatchEvent[];
}

export function encodeWatchRequest(request: WatchRequest): Uint8Array {
  const writer = new BinaryWriter();
  writeMessage(writer, 1, (inner) => {
    writeText(inner, 1, request.key);
    writeText(inner, 2, request.rangeEnd);
    writeInteger(inner, 3, request.startRevision);
    writeFlag(inner, 6, request.withPrevious);
    // Makes etcd split responses that are larger than the maximum request.
    writeFlag(inner, 8, true);
  });
  return writer.finish();
}

export function decodeWatchResponse(bytes: Uint8Array): WatchResponse {
  const events: WatchEvent[] = [];
  const flags = { created: false, canceled: false, isFragment: false };
  let [revision, compactRevision, cancelReason] = [0, 0, ''];
  readFields(bytes, (field, reader) => {
    if (field === 1) revision = readHeader(reader.bytes());
    else if (field === 3) flags.created = reader.bool();
    else if (field === 4) flags.canceled = reader.bool();
    else if (field === 5) compactRevision = readInteger(reader);
    else if (field === 6) cancelReason = readText(reader);
    else if (field === 7) flags.isFragment = reader.bool();
    else if (field === 11) events.push(readEvent(reader.bytes()));
    else return false;
    return true;
  });
  return { revision, ...flags, compactRevision, cancelReason, events };
}

const noKey: KeyValue = { key: '', value: '', createRevision: 0, modRevision: 0 };

function readEvent(bytes: Uint8Array): WatchEvent {
  let [kv, isRemoval] = [noKey, false];
  let previous: KeyValue | undefined;
  readFields(bytes, (field, reader) => {
    if (field === 1) isRemoval = reader.int32() === 1;
    else if (field === 2) kv = readKeyValue(reader.bytes());
    else if (field === 3) previous = readKeyValue(reader.bytes());
    else return false;
    return true;
  });
  return previous === undefined ? { kv, isRemoval } : { kv, isRemoval, previous };
}
