import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Settings } from '../../../src/server/settings/backup-settings.ts';
import { eventually } from '../../bad-days/eventually.ts';
import { selfSigned } from '../../harness/self-signed.ts';
import { freePorts, isProgram, type StartedProgram, startProgram, toolFolders } from '../../harness/start-program.mjs';

const program = toolFolders()
  .map((folder) => join(folder, 'versitygw'))
  .find((path) => isProgram(path));

/** The reason why tests with an S3 service cannot run; `undefined` if they can. */
export const gatewayMissing =
  program === undefined ? 'versitygw is not built (bash test/tools/build.sh <folder> clients builds it)' : undefined;

const accessKeyId = 'backup-writer';
const secretAccessKey = 'a secret of the tests';

/** The S3 gateway of Versity as a separate process with TLS. Buckets are directories. */
export class S3Gateway {
  readonly folder: string;
  readonly settings: S3Settings;
  readonly bucketFolder: string;
  readonly #port: number;
  #running: StartedProgram | undefined;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.#port = port;
    this.settings = {
      bucket: 'flotilla-backups',
      endpoint: `https://127.0.0.1:${port}`,
      region: 'us-east-1',
      prefix: 'production/',
      pathStyle: true,
      credentials: { accessKeyIdFile: join(folder, 'id'), secretAccessKeyFile: join(folder, 'secret') },
      caFile: join(folder, 'tls.crt'),
      encryption: undefined,
      timeoutSeconds: 30,
    };
    this.bucketFolder = join(folder, 'buckets', this.settings.bucket);
  }

  static async start(): Promise<S3Gateway> {
    const [port = 0] = await freePorts(1);
    const gateway = new S3Gateway(await mkdtemp(join(tmpdir(), 's3-')), port);
    const { folder, bucketFolder } = gateway;
    await mkdir(bucketFolder, { recursive: true });
    const { cert, key } = await selfSigned();
    await writeFile(join(folder, 'tls.crt'), cert);
    await writeFile(join(folder, 'tls.key'), key);
    await writeFile(join(folder, 'id'), `${accessKeyId}\n`);
    await writeFile(join(folder, 'secret'), `${secretAccessKey}\n`);
    await gateway.up();
    return gateway;
  }

  async up(): Promise<void> {
    const tls = ['--cert', join(this.folder, 'tls.crt'), '--key', join(this.folder, 'tls.key')];
    const access = ['--access', accessKeyId, '--secret', secretAccessKey];
    const flags = ['--port', `127.0.0.1:${this.#port}`, ...access, ...tls, 'posix', join(this.folder, 'buckets')];
    const running = startProgram(program ?? 'versitygw', flags, this.folder);
    this.#running = running;
    await eventually(
      30,
      () => {
        running.failIfEnded();
        return running.output();
      },
      (output) => output.includes('listening on'),
    );
  }

  async down(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }

  async close(): Promise<void> {
    await this.down();
    await rm(this.folder, { recursive: true });
  }

  /** Returns the names of the objects with the prefix. */
  async objects(): Promise<string[]> {
    return await readdir(join(this.bucketFolder, this.settings.prefix)).catch(() => []);
  }

  /** Returns the log lines of the requests that the gateway has received. */
  requests(): string[] {
    return (this.#running?.output() ?? '').split('\n').filter((line) => line.includes('| vgw |'));
  }
}
