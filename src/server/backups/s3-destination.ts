import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type PutObjectCommandInput,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { StoredBackup } from '../../api/backups/backup-status.ts';
import { describeError } from '../../process/private-dir.ts';
import type { S3Settings } from '../settings/backup-settings.ts';
import { verifyContent } from './backup-content.ts';
import type { BackupDestination, NewBackup, WrittenBackup } from './backup-destination.ts';
import type { BackupNames } from './backup-name.ts';

/**
 * `partSize` is the size of a part of an upload in bytes, and `queueSize` the number of parts that are sent at the same
 * time. With these values, an upload needs 48 MiB of memory, and a backup may have 160 GB (S3 accepts 10,000 parts).
 */
const upload = { partSize: 16 * 1024 * 1024, queueSize: 3 };

const connectMs = 10_000;

/**
 * Writes backups to a bucket of an S3-compatible service. A backup becomes visible when its upload is complete. The
 * service verifies a checksum of each part. After the upload, the backup is read again and verified. Redirects are not
 * followed.
 */
export class S3Destination implements BackupDestination {
  readonly #settings: S3Settings;
  readonly #names: BackupNames;

  constructor(settings: S3Settings, names: BackupNames) {
    this.#settings = settings;
    this.#names = names;
  }

  get description(): string {
    return `s3://${this.#settings.bucket}/${this.#settings.prefix}`;
  }

  write({ name, chunks, signal }: NewBackup): Promise<WrittenBackup> {
    return this.#withClient(async (client) => {
      const Key = this.#keyOf(name);
      const counted = new CountedChunks(chunks);
      try {
        await this.#upload(client, { Key, Body: Readable.from(counted.chunks(), { objectMode: false }) }, signal);
        const stored = await client.send(new GetObjectCommand({ ...this.#bucket, Key }), { abortSignal: signal });
        const content = await verifyContent(stored.Body as Readable, signal);
        return { ...content, bytes: counted.bytes };
      } catch (error) {
        await client.send(new DeleteObjectCommand({ ...this.#bucket, Key })).catch((failure: unknown) => {
          const text = `the object ${Key} may be left in the bucket, because it could not be deleted`;
          throw new Error(`${describeFailure(error)}; ${text}: ${describeFailure(failure)}`, { cause: error });
        });
        throw error;
      }
    });
  }

  list(signal: AbortSignal): Promise<StoredBackup[]> {
    return this.#withClient(async (client) => {
      const found: StoredBackup[] = [];
      let ContinuationToken: string | undefined;
      do {
        const command = new ListObjectsV2Command({ ...this.#ownObjects, ContinuationToken });
        const page = await client.send(command, { abortSignal: signal });
        for (const { Key = '', Size = 0 } of page.Contents ?? []) {
          const name = Key.slice(this.#settings.prefix.length);
          const time = this.#names.timeOf(name);
          if (time !== undefined) found.push({ name, time, bytes: Size });
        }
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
      return found.sort((a, b) => (a.name < b.name ? -1 : 1));
    });
  }

  remove(name: string, signal: AbortSignal): Promise<void> {
    return this.#withClient(async (client) => {
      const command = new DeleteObjectCommand({ ...this.#bucket, Key: this.#keyOf(name) });
      await client.send(command, { abortSignal: signal });
    });
  }

  removeIncomplete(signal: AbortSignal): Promise<void> {
    return this.#withClient(async (client) => {
      const listed = await client.send(new ListMultipartUploadsCommand(this.#ownObjects), { abortSignal: signal });
      for (const { Key = '', UploadId } of listed.Uploads ?? []) {
        if (this.#names.timeOf(Key.slice(this.#settings.prefix.length)) === undefined) continue;
        const command = new AbortMultipartUploadCommand({ ...this.#bucket, Key, UploadId });
        await client.send(command, { abortSignal: signal });
      }
    });
  }

  get #bucket(): { readonly Bucket: string } {
    return { Bucket: this.#settings.bucket };
  }

  get #ownObjects(): { readonly Bucket: string; readonly Prefix: string } {
    return { ...this.#bucket, Prefix: this.#keyOf(this.#names.prefix) };
  }

  #keyOf(name: string): string {
    return `${this.#settings.prefix}${name}`;
  }

  /** Uploads in parts, so the memory does not depend on the size of the backup. Aborts the upload on an error. */
  async #upload(client: S3Client, object: Omit<PutObjectCommandInput, 'Bucket'>, signal: AbortSignal): Promise<void> {
    const { encryption } = this.#settings;
    const params: PutObjectCommandInput = {
      ...this.#bucket,
      ...object,
      ContentType: 'application/x-ndjson',
      ...(encryption === undefined ? {} : { ServerSideEncryption: encryption.algorithm }),
      ...(encryption?.kmsKeyId === undefined ? {} : { SSEKMSKeyId: encryption.kmsKeyId }),
    };
    const running = new Upload({ client, params, ...upload });
    const abort = () => void running.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      await running.done();
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /**
   * Calls `use` with a client that has just read the credential files. Rotated credentials therefore need no restart.
   */
  async #withClient<T>(use: (client: S3Client) => Promise<T>): Promise<T> {
    const client = new S3Client(await this.#clientConfig());
    try {
      return await use(client);
    } catch (error) {
      throw describedError(error);
    } finally {
      client.destroy();
    }
  }

  async #clientConfig(): Promise<S3ClientConfig> {
    const { endpoint, region, pathStyle, credentials, caFile, timeoutSeconds } = this.#settings;
    const httpsAgent = caFile === undefined ? undefined : new Agent({ ca: await readFile(caFile), keepAlive: true });
    return {
      region,
      ...(endpoint === undefined ? {} : { endpoint }),
      forcePathStyle: pathStyle,
      ...(credentials === undefined
        ? {}
        : {
            credentials: {
              accessKeyId: (await readFile(credentials.accessKeyIdFile, 'utf8')).trim(),
              secretAccessKey: (await readFile(credentials.secretAccessKeyFile, 'utf8')).trim(),
            },
          }),
      requestHandler: {
        connectionTimeout: connectMs,
        requestTimeout: timeoutSeconds * 1000,
        throwOnRequestTimeout: true,
        socketTimeout: timeoutSeconds * 1000,
        ...(httpsAgent === undefined ? {} : { httpsAgent }),
      },
    };
  }
}

/** Passes chunks on and counts their bytes. */
class CountedChunks {
  bytes = 0;
  readonly #source: AsyncIterable<Uint8Array>;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#source) {
      this.bytes += chunk.length;
      yield chunk;
    }
  }
}

function describeFailure(error: unknown): string {
  return describeError(describedError(error));
}

/** Adds the error code of the service, such as NoSuchBucket, because the message may not contain it. */
function describedError(error: unknown): unknown {
  if (!(error instanceof Error) || !('$metadata' in error)) return error;
  const { httpStatusCode } = error.$metadata as { readonly httpStatusCode?: number };
  const status = httpStatusCode === undefined ? '' : ` (status ${httpStatusCode})`;
  return new Error(`the S3 service rejected the request: ${error.name}${status}: ${error.message}`, { cause: error });
}
