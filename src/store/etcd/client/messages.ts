import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  readFields,
  readInteger,
  readText,
  readValue,
  writeFlag,
  writeInteger,
  writeMessage,
  writeText,
  writeValue,
} from './wire.ts';

/*
 * The messages of etcd's KV service. Only the fields that the store uses are here. All keys and values of the store are
 * text, so they are strings.
 */

/** A key with its current value. */
export interface KeyValue {
  readonly key: string;
  readonly value: string;
  /** The etcd revision of the transaction that created the key. */
  readonly createRevision: number;
  /** The etcd revision of the transaction that wrote this value. */
  readonly modRevision: number;
}

export interface RangeRequest {
  readonly key: string;
  /** The exclusive end of the range. Without it, the request reads one key. */
  readonly rangeEnd?: string;
  /** The maximum number of keys. Optional; defaults to no limit. */
  readonly limit?: number;
  /** The etcd revision of the state that is read. Optional; defaults to the current state. */
  readonly revision?: number;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
  /** Returns only keys whose value was written at this etcd revision or later. Makes etcd scan the whole range. */
  readonly minModRevision?: number;
}

export interface RangeResponse {
  readonly revision: number;
  readonly kvs: readonly KeyValue[];
  /** True if the range has more keys than the limit. */
  readonly more: boolean;
  /** The number of keys of the whole range, regardless of the limit. */
  readonly count: number;
}

export interface PutRequest {
  readonly key: string;
  readonly value: string;
  /** The lease with which the key expires. Optional. */
  readonly lease?: bigint;
}

export interface DeleteRangeRequest {
  readonly key: string;
  readonly rangeEnd?: string;
}

/** A condition of a transaction. A key that does not exist has version 0 and modRevision 0, and no value. */
export type Compare =
  | { readonly key: string; readonly version: number }
  | { readonly key: string; readonly modRevision: number }
  | { readonly key: string; readonly valueBelow: Uint8Array }
  | { readonly key: string; readonly valueAbove: Uint8Array }
  | { readonly key: string; readonly exists: true };

export type Operation =
  | { readonly range: RangeRequest }
  | { readonly put: PutRequest }
  | { readonly remove: DeleteRangeRequest }
  | { readonly transaction: TxnRequest };

export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

export interface TxnResponse {
  /**
   * The etcd revision of the transaction if it wrote something; otherwise the etcd revision of the state that it read.
   */
  readonly revision: number;
  readonly succeeded: boolean;
  /** The results of the operations. `undefined` for an operation that is not a range. */
  readonly ranges: readonly (RangeResponse | undefined)[];
  /** The results of the operations that are transactions. */
  readonly nested: readonly TxnResponse[];
}

const compareResult = { equal: 0, greater: 1, less: 2 } as const;
const compareTarget = { version: 0, mod: 2, value: 3 } as const;

export function writeRange(writer: BinaryWriter, request: RangeRequest): void {
  writeText(writer, 1, request.key);
  writeText(writer, 2, request.rangeEnd);
  writeInteger(writer, 3, request.limit);
  writeInteger(writer, 4, request.revision);
  writeFlag(writer, 8, request.keysOnly);
  writeFlag(writer, 9, request.countOnly);
  writeInteger(writer, 10, request.minModRevision);
}

function writePut(writer: BinaryWriter, request: PutRequest): void {
  writeText(writer, 1, request.key);
  writeValue(writer, 2, request.value);
  writeInteger(writer, 3, request.lease);
}

function writeDeleteRange(writer: BinaryWriter, request: DeleteRangeRequest): void {
  writeText(writer, 1, request.key);
  writeText(writer, 2, request.rangeEnd);
}

function writeOperation(writer: BinaryWriter, operation: Operation): void {
  if ('range' in operation) writeMessage(writer, 1, (inner) => writeRange(inner, operation.range));
  else if ('put' in operation) writeMessage(writer, 2, (inner) => writePut(inner, operation.put));
  else if ('remove' in operation) writeMessage(writer, 3, (inner) => writeDeleteRange(inner, operation.remove));
  else writeMessage(writer, 4, (inner) => writeTxn(inner, operation.transaction));
}

function writeCompare(writer: BinaryWriter, compare: Compare): void {
  const header = (result: number, target: number) => {
    writeInteger(writer, 1, result);
    writeInteger(writer, 2, target);
    writeText(writer, 3, compare.key);
  };
  // The expected value is a member of a `oneof`, so it is written even if it is 0.
  if ('version' in compare) {
    header(compareResult.equal, compareTarget.version);
    writer.tag(4, WireType.Varint).int64(compare.version);
  } else if ('exists' in compare) {
    header(compareResult.greater, compareTarget.version);
    writer.tag(4, WireType.Varint).int64(0);
  } else if ('modRevision' in compare) {
    header(compareResult.equal, compareTarget.mod);
    writer.tag(6, WireType.Varint).int64(compare.modRevision);
  } else if ('valueBelow' in compare) {
    header(compareResult.less, compareTarget.value);
    writer.tag(7, WireType.LengthDelimited).bytes(compare.valueBelow);
  } else {
    header(compareResult.greater, compareTarget.value);
    writer.tag(7, WireType.LengthDelimited).bytes(compare.valueAbove);
  }
}

export function writeTxn(writer: BinaryWriter, { compare, success, failure }: TxnRequest): void {
  for (const each of compare) writeMessage(writer, 1, (inner) => writeCompare(inner, each));
  for (const each of success) writeMessage(writer, 2, (inner) => writeOperation(inner, each));
  for (const each of failure) writeMessage(writer, 3, (inner) => writeOperation(inner, each));
}

/** Reads the revision of a response header. */
export function readHeader(bytes: Uint8Array): number {
  let revision = 0;
  readFields(bytes, (field, reader) => {
    if (field !== 3) return false;
    revision = readInteger(reader);
    return true;
  });
  return revision;
}

export function readKeyValue(bytes: Uint8Array): KeyValue {
  let [key, value, createRevision, modRevision] = ['', '', 0, 0];
  readFields(bytes, (field, reader) => {
    if (field === 1) key = readText(reader);
    else if (field === 2) createRevision = readInteger(reader);
    else if (field === 3) modRevision = readInteger(reader);
    else if (field === 5) value = readValue(reader);
    else return false;
    return true;
  });
  return { key, value, createRevision, modRevision };
}

export function readRange(bytes: Uint8Array): RangeResponse {
  const kvs: KeyValue[] = [];
  let [revision, more, count] = [0, false, 0];
  readFields(bytes, (field, reader) => {
    if (field === 1) revision = readHeader(reader.bytes());
    else if (field === 2) kvs.push(readKeyValue(reader.bytes()));
    else if (field === 3) more = reader.bool();
    else if (field === 4) count = readInteger(reader);
    else return false;
    return true;
  });
  return { revision, kvs, more, count };
}

export function readTxn(bytes: Uint8Array): TxnResponse {
  const ranges: (RangeResponse | undefined)[] = [];
  const nested: TxnResponse[] = [];
  let [revision, succeeded] = [0, false];
  readFields(bytes, (field, reader) => {
    if (field === 1) revision = readHeader(reader.bytes());
    else if (field === 2) succeeded = reader.bool();
    else if (field === 3) {
      const { range, transaction } = readOperationResult(reader.bytes());
      ranges.push(range);
      if (transaction !== undefined) nested.push(transaction);
    } else return false;
    return true;
  });
  return { revision, succeeded, ranges, nested };
}

interface OperationResult {
  readonly range?: RangeResponse;
  readonly transaction?: TxnResponse;
}

function readOperationResult(bytes: Uint8Array): OperationResult {
  let result: OperationResult = {};
  readFields(bytes, (field, reader) => {
    if (field === 1) result = { range: readRange(reader.bytes()) };
    else if (field === 4) result = { transaction: readTxn(reader.bytes()) };
    else return false;
    return true;
  });
  return result;
}
