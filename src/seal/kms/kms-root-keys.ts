import { randomUUID } from 'node:crypto';
import * as grpc from '@grpc/grpc-js';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { wait } from '../../lib/wait.ts';
import { SealError } from '../open-sealer.ts';
import { kmsKeyPrefix, type RootKeys } from '../root/root-keys.ts';
import { decryptMethod, encryptMethod, type KmsMethod, statusMethod } from './kms-messages.ts';

/** The versions of the API that plugins report. The two versions are identical. */
const versions: readonly string[] = ['v2', 'v2beta1'];
const maxKeyIdBytes = 1024;
const maxCiphertextBytes = 1024;
const maxAnnotationBytes = 32 * 1024;
const callMs = 5_000;

export interface KmsOptions {
  /** The address of the plugin: `unix:///…`. */
  readonly endpoint: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The time for which the start waits for the plugin, in milliseconds. */
  readonly startMs?: number;
}

const defaultStartMs = 60_000;
const retryMs = 1_000;

/**
 * Opens the root keys of a KMS plugin that serves Kubernetes' KMS v2 API. Waits until the plugin responds. Rejects with
 * SealError if the plugin does not respond in time or has another API version.
 */
export async function openKmsRootKeys(options: KmsOptions): Promise<RootKeys> {
  const { endpoint, clock, log, startMs = defaultStartMs } = options;
  const client = new grpc.Client(endpoint, grpc.credentials.createInsecure(), {
    'grpc.enable_retries': 0,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
  });
  const roots = kmsRootKeys(endpoint, callerOf(client, endpoint), () => client.close());
  const startedAt = clock.elapsed();
  for (;;) {
    try {
      await roots.currentId();
      return roots;
    } catch (error) {
      if (clock.elapsed() - startedAt >= startMs) {
        client.close();
        throw error;
      }
      log.warn({ error }, `waiting for the KMS plugin at ${endpoint}`);
      await wait(clock, retryMs, new AbortController().signal);
    }
  }
}

type Call = <Request, Response>(method: KmsMethod<Request, Response>, request: Request) => Promise<Response>;

function callerOf(client: grpc.Client, endpoint: string): Call {
  return (method, request) =>
    new Promise((resolve, reject) => {
      const deadline = { deadline: Date.now() + callMs };
      const { path, encode, decode } = method;
      client.makeUnaryRequest(path, encode, decode, request, new grpc.Metadata(), deadline, (error, response) => {
        if (response !== undefined && error === null) resolve(response);
        else reject(new SealError(`the KMS plugin at ${endpoint} does not work: ${error?.details ?? 'no response'}`));
      });
    });
}

function kmsRootKeys(endpoint: string, call: Call, close: () => void): RootKeys {
  const refuse = (what: string) => new SealError(`the KMS plugin at ${endpoint} ${what}`);
  const assertKeyId = (keyId: string) => {
    if (keyId === '' || Buffer.byteLength(keyId) > maxKeyIdBytes) {
      throw refuse(`returned a key ID of ${Buffer.byteLength(keyId)} bytes; it must have 1 to ${maxKeyIdBytes}`);
    }
  };
  return {
    place: endpoint,
    mayChange: true,
    async currentId() {
      const { version, healthz, keyId } = await call(statusMethod, {});
      if (!versions.includes(version)) throw refuse(`has the API version "${version}"; it must be v2`);
      if (healthz !== 'ok') throw refuse(`is not healthy: ${healthz.slice(0, 200)}`);
      assertKeyId(keyId);
      return kmsKeyPrefix + keyId;
    },
    async wrap(purpose, clear) {
      const plaintext = Buffer.concat([Buffer.from(`${purpose}\0`), clear]);
      const { ciphertext, keyId, annotations } = await call(encryptMethod, { plaintext, uid: randomUUID() });
      assertKeyId(keyId);
      if (ciphertext.length === 0 || ciphertext.length > maxCiphertextBytes) {
        throw refuse(`returned a ciphertext of ${ciphertext.length} bytes; it must have 1 to ${maxCiphertextBytes}`);
      }
      const entries = Object.entries(annotations);
      const size = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + value.length, 0);
      if (size > maxAnnotationBytes) throw refuse(`returned annotations of ${size} bytes`);
      return {
        root: kmsKeyPrefix + keyId,
        wrapped: Buffer.from(ciphertext).toString('base64'),
        ...(entries.length === 0
          ? {}
          : { annotations: Object.fromEntries(entries.map(([name, value]) => [name, toBase64(value)])) }),
      };
    },
    async unwrap(purpose, { root, wrapped, annotations = {} }) {
      const plaintext = await call(decryptMethod, {
        ciphertext: Buffer.from(wrapped, 'base64'),
        uid: randomUUID(),
        keyId: root.slice(kmsKeyPrefix.length),
        annotations: Object.fromEntries(
          Object.entries(annotations).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
        ),
      });
      const expected = Buffer.from(`${purpose}\0`);
      if (!expected.equals(plaintext.subarray(0, expected.length))) {
        throw refuse(`decrypted a key of the store to a different value (key ${root.slice(kmsKeyPrefix.length)})`);
      }
      return Buffer.from(plaintext.subarray(expected.length));
    },
    close,
  };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
