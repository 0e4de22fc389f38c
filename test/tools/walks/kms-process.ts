import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../bad-days/eventually.ts';
import { isProgram, type StartedProgram, startProgram, toolFolders } from '../../harness/start-program.mjs';

const program = toolFolders()
  .map((folder) => join(folder, 'kms-plugin'))
  .find((path) => isProgram(path));

/** The reason why tests with the KMS plugin cannot run; `undefined` if they can. */
export const kmsPluginMissing =
  program === undefined ? 'kms-plugin is not built (bash test/tools/build.sh <folder> clients builds it)' : undefined;

/**
 * A KMS plugin built from the Kubernetes packages for plugins, as a separate process. Its keys are files, which are
 * kept when the process ends.
 */
export class KmsProcess {
  readonly endpoint: string;
  readonly #folder: string;
  readonly #socket: string;
  #running: StartedProgram | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#socket = join(folder, 'plugin.sock');
    this.endpoint = `unix://${this.#socket}`;
  }

  /** Starts a plugin with one key. */
  static async start(keyId: string): Promise<KmsProcess> {
    const kms = new KmsProcess(await mkdtemp(join(tmpdir(), 'kms-')));
    await kms.addKey(keyId);
    await kms.up();
    return kms;
  }

  async up(): Promise<void> {
    const running = startProgram(program ?? 'kms-plugin', [this.#socket, this.#folder], this.#folder);
    this.#running = running;
    await eventually(
      30,
      () => {
        running.failIfEnded();
        return existsSync(this.#socket);
      },
      (listens) => listens,
    );
  }

  /** Stops the process and thereby removes its socket. */
  async down(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }

  async close(): Promise<void> {
    await this.down();
    await rm(this.#folder, { recursive: true });
  }

  /** Adds a key and selects it for encryption. */
  async addKey(keyId: string): Promise<void> {
    await writeFile(join(this.#folder, `${keyId}.key`), randomBytes(32));
    await writeFile(join(this.#folder, 'current'), keyId);
  }

  async removeKey(keyId: string): Promise<void> {
    await rm(join(this.#folder, `${keyId}.key`));
  }
}
