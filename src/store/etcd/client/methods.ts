import { BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  type RangeRequest,
  type RangeResponse,
  readHeader,
  readRange,
  readTxn,
  type TxnRequest,
  type TxnResponse,
  writeRange,
  writeTxn,
} from './messages.ts';
import { readFields, readText, writeInteger, writeText } from './wire.ts';

/** A method of etcd with one request and one response. */
export interface EtcdMethod<Request, Response> {
  readonly path: string;
  readonly encode: (request: Request) => Buffer;
  readonly decode: (bytes: Buffer) => Response;
}

function method<Request, Response>(
  path: string,
  write: (writer: BinaryWriter, request: Request) => void,
  decode: (bytes: Uint8Array) => Response,
): EtcdMethod<Request, Response> {
  const encode = (request: Request) => {
    const writer = new BinaryWriter();
    write(writer, request);
    return asBuffer(writer.finish());
  };
  return { path: `/etcdserverpb.${path}`, encode, decode };
}

/** Returns a Buffer that shares the memory of the bytes. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export const watchPath = '/etcdserverpb.Watch/Watch';

export const rangeMethod: EtcdMethod<RangeRequest, RangeResponse> = method('KV/Range', writeRange, readRange);

export const txnMethod: EtcdMethod<TxnRequest, TxnResponse> = method('KV/Txn', writeTxn, readTxn);

/** Removes the history before an etcd revision, for all users of the etcd cluster. */
export const compactMethod: EtcdMethod<{ readonly revision: number }, Record<string, never>> = method(
  'KV/Compact',
  (writer, { revision }) => writeInteger(writer, 1, revision),
  () => ({}),
);

/** Creates a lease. etcd removes the keys that are written with the lease after the given number of seconds. */
export const leaseGrantMethod: EtcdMethod<{ readonly seconds: number }, { readonly lease: bigint }> = method(
  'Lease/LeaseGrant',
  (writer, { seconds }) => writeInteger(writer, 1, seconds),
  (bytes) => {
    let lease = 0n;
    readFields(bytes, (field, reader) => {
      if (field !== 2) return false;
      lease = BigInt(reader.int64());
      return true;
    });
    return { lease };
  },
);

/** Exchanges a user name and password for a token. */
export const authenticateMethod: EtcdMethod<
  { readonly name: string; readonly password: string },
  { readonly token: string }
> = method(
  'Auth/Authenticate',
  (writer, { name, password }) => {
    writeText(writer, 1, name);
    writeText(writer, 2, password);
  },
  (bytes) => {
    let token = '';
    readFields(bytes, (field, reader) => {
      if (field !== 2) return false;
      token = readText(reader);
      return true;
    });
    return { token };
  },
);

export interface MemberStatus {
  readonly revision: number;
  /** The version of etcd, such as `3.6.6`. */
  readonly version: string;
}

export const statusMethod: EtcdMethod<Record<string, never>, MemberStatus> = method(
  'Maintenance/Status',
  () => {},
  (bytes) => {
    let [revision, version] = [0, ''];
    readFields(bytes, (field, reader) => {
      if (field === 1) revision = readHeader(reader.bytes());
      else if (field === 2) version = readText(reader);
      else return false;
      return true;
    });
    return { revision, version };
  },
);
