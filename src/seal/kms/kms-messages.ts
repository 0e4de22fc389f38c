import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { readFields, readText, writeMessage, writeText } from '../../store/etcd/client/wire.ts';

/*
 * The messages of Kubernetes' KMS v2 API (package `v2`, service `KeyManagementService`), which plugins serve at a Unix
 * socket.
 */

/** A method of the gRPC service of a KMS plugin. */
export interface KmsMethod<Request, Response> {
  readonly path: string;
  encode(request: Request): Buffer;
  decode(bytes: Buffer): Response;
}

export interface KmsStatus {
  readonly version: string;
  /** `ok` if the plugin works; otherwise the reason. */
  readonly healthz: string;
  /** The key with which the plugin encrypts now. */
  readonly keyId: string;
}

export type Annotations = Readonly<Record<string, Uint8Array>>;

export interface KmsCiphertext {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: Annotations;
}

export const statusMethod: KmsMethod<Record<string, never>, KmsStatus> = {
  path: '/v2.KeyManagementService/Status',
  encode: () => Buffer.alloc(0),
  decode(bytes) {
    let [version, healthz, keyId] = ['', '', ''];
    readFields(bytes, (field, reader) => {
      if (field === 1) version = readText(reader);
      else if (field === 2) healthz = readText(reader);
      else if (field === 3) keyId = readText(reader);
      else return false;
      return true;
    });
    return { version, healthz, keyId };
  },
};

export const encryptMethod: KmsMethod<{ readonly plaintext: Uint8Array; readonly uid: string }, KmsCiphertext> = {
  path: '/v2.KeyManagementService/Encrypt',
  encode: ({ plaintext, uid }) =>
    encoded((writer) => {
      writeBytes(writer, 1, plaintext);
      writeText(writer, 2, uid);
    }),
  decode(bytes) {
    let [ciphertext, keyId]: [Uint8Array, string] = [new Uint8Array(), ''];
    const annotations: Record<string, Uint8Array> = {};
    readFields(bytes, (field, reader) => {
      if (field === 1) ciphertext = reader.bytes();
      else if (field === 2) keyId = readText(reader);
      else if (field === 3) {
        const [name, value] = readAnnotation(reader.bytes());
        annotations[name] = value;
      } else return false;
      return true;
    });
    return { ciphertext, keyId, annotations };
  },
};

export const decryptMethod: KmsMethod<KmsCiphertext & { readonly uid: string }, Uint8Array> = {
  path: '/v2.KeyManagementService/Decrypt',
  encode: ({ ciphertext, uid, keyId, annotations }) =>
    encoded((writer) => {
      writeBytes(writer, 1, ciphertext);
      writeText(writer, 2, uid);
      writeText(writer, 3, keyId);
      for (const [name, value] of Object.entries(annotations)) {
        writeMessage(writer, 4, (entry) => {
          writeText(entry, 1, name);
          writeBytes(entry, 2, value);
        });
      }
    }),
  decode(bytes) {
    let plaintext: Uint8Array = new Uint8Array();
    readFields(bytes, (field, reader) => {
      if (field !== 1) return false;
      plaintext = reader.bytes();
      return true;
    });
    return plaintext;
  },
};

function encoded(write: (writer: BinaryWriter) => void): Buffer {
  const writer = new BinaryWriter();
  write(writer);
  return Buffer.from(writer.finish());
}

function writeBytes(writer: BinaryWriter, field: number, bytes: Uint8Array): void {
  if (bytes.length > 0) writer.tag(field, WireType.LengthDelimited).bytes(bytes);
}

function readAnnotation(bytes: Uint8Array): [string, Uint8Array] {
  let [name, value]: [string, Uint8Array] = ['', new Uint8Array()];
  readFields(bytes, (field, reader) => {
    if (field === 1) name = readText(reader);
    else if (field === 2) value = reader.bytes();
    else return false;
    return true;
  });
  return [name, value];
}
