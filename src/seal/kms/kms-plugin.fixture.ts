import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import * as grpc from '@grpc/grpc-js';
import { readFields, readText } from '../../store/etcd/client/wire.ts';

interface Sent {
  readonly bytes: ReadonlyMap<number, Buffer>;
  readonly annotations: ReadonlyMap<string, string>;
}

/**
 * A KMS v2 plugin at a Unix socket. The plugin derives its keys from their IDs, so equal key IDs stand for equal keys
 * in all plugins.
 */
export class KmsPlugin {
  keyId = 'key-1';
  healthz = 'ok';
  version = 'v2';
  /** The keys that the plugin refuses to use for decryption. */
  readonly removed = new Set<string>();
  /** The keys that were used for decryption, in order. */
  readonly decrypted: string[] = [];
  /** Called after a key was encrypted. */
  onEncrypt: (() => void) | undefined;
  readonly endpoint: string;
  #server: grpc.Server | undefined;

  constructor(socket: string) {
    this.endpoint = `unix://${socket}`;
  }

  static async start(socket: string): Promise<KmsPlugin> {
    const plugin = new KmsPlugin(socket);
    await plugin.start();
    return plugin;
  }

  async start(): Promise<void> {
    const server = new grpc.Server();
    const method = (name: string) => ({
      path: `/v2.KeyManagementService/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: (bytes: Buffer) => bytes,
      requestDeserialize: (bytes: Buffer) => bytes,
      responseSerialize: (bytes: Buffer) => bytes,
      responseDeserialize: (bytes: Buffer) => bytes,
    });
    const reply =
      (respond: (sent: Sent) => Buffer) =>
      ({ request }: grpc.ServerUnaryCall<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) => {
        try {
          done(null, respond(fieldsOf(request)));
        } catch (error) {
          done({ code: grpc.status.INTERNAL, details: (error as Error).message });
        }
      };
    const names = { Status: method('Status'), Encrypt: method('Encrypt'), Decrypt: method('Decrypt') };
    server.addService(names, {
      Status: reply(() => message([1, this.version], [2, this.healthz], [3, this.keyId])),
      Encrypt: reply(({ bytes }) => {
        const ciphertext = this.#encrypt(bytes.get(1) ?? Buffer.alloc(0));
        this.onEncrypt?.();
        return ciphertext;
      }),
      Decrypt: reply((sent) => this.#decrypt(sent)),
    });
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(this.endpoint, grpc.ServerCredentials.createInsecure(), (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
    this.#server = server;
  }

  stop(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
  }

  #encrypt(plaintext: Buffer): Buffer {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', keyOf(this.keyId), nonce);
    const ciphertext = Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    return message([1, ciphertext], [2, this.keyId], [3, message([1, 'local.kms.example'], [2, this.keyId])]);
  }

  #decrypt({ bytes, annotations }: Sent): Buffer {
    const ciphertext = bytes.get(1) ?? Buffer.alloc(0);
    const keyId = bytes.get(3)?.toString('utf8') ?? '';
    if (annotations.get('local.kms.example') !== keyId) throw new Error('the annotation is wrong');
    if (this.removed.has(keyId)) throw new Error(`the key ${keyId} was removed`);
    const decipher = createDecipheriv('aes-256-gcm', keyOf(keyId), ciphertext.subarray(0, 12));
    decipher.setAuthTag(ciphertext.subarray(-16));
    this.decrypted.push(keyId);
    return message([1, Buffer.concat([decipher.update(ciphertext.subarray(12, -16)), decipher.final()])]);
  }
}

function keyOf(id: string): Buffer {
  return createHash('sha256').update(id).digest();
}

function message(...fields: readonly (readonly [number, string | Uint8Array])[]): Buffer {
  const writer = new BinaryWriter();
  for (const [field, value] of fields) writer.tag(field, WireType.LengthDelimited).bytes(Buffer.from(value));
  return Buffer.from(writer.finish());
}

function fieldsOf(request: Buffer): Sent {
  const bytes = new Map<number, Buffer>();
  const annotations = new Map<string, string>();
  readFields(request, (field, reader) => {
    const value = Buffer.from(reader.bytes());
    if (field === 4) {
      const parts: string[] = [];
      readFields(value, (_part, inner) => parts.push(readText(inner)) > 0);
      annotations.set(parts[0] ?? '', parts[1] ?? '');
    } else bytes.set(field, value);
    return true;
  });
  return { bytes, annotations };
}
