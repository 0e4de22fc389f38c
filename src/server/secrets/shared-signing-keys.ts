import type { Log } from '../../lib/log.ts';
import {
  formatKeySet,
  parseKeySet,
  readSigningKeyFile,
  type SigningKeySet,
  writeSigningKeyFile,
} from '../../process/signing-key-file.ts';
import type { SigningKeyStorage, StoredKeySet } from '../../process/signing-keys.ts';
import { withStatusErrors } from '../../registry/store-status.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { InstallationRows } from './installation-rows.ts';
import { assertSigningKeyFiles, type SigningKeyFiles } from './signing-key-files.ts';

export interface SharedSigningKeysOptions {
  readonly rows: InstallationRows;
  readonly sealer: Sealer;
  /**
   * The key files on this machine. If the store has no key set, the keys in these files are stored. Otherwise, the keys
   * must belong to the stored key set.
   */
  readonly files: SigningKeyFiles;
  /** The file in the data directory to which each key set is copied. */
  readonly copyTo: string;
  readonly log: Log;
}

const rowName = 'signing-keys';
const purpose = 'signing keys';
const place = 'the signing keys in the store';

export function openKeySet(sealer: Sealer, sealed: string): SigningKeySet {
  return parseKeySet(sealer.open(purpose, sealed), place);
}

/**
 * The signing keys that all servers on a shared store use, sealed in a row. The data directory has a copy, so an
 * operator can add a server with the files of an existing one.
 */
export class SharedSigningKeys implements SigningKeyStorage {
  readonly place = place;
  readonly #options: SharedSigningKeysOptions;
  /** The last decoded row. The same row always gives the same object, so callers can compare objects. */
  #decoded: { readonly sealed: string; readonly set: SigningKeySet } | undefined;
  #copying: Promise<void> = Promise.resolve();

  private constructor(options: SharedSigningKeysOptions) {
    this.#options = options;
  }

  /** Throws StartError if a key file does not belong to this installation. Rejects with StoreError. */
  static async open(options: SharedSigningKeysOptions): Promise<SharedSigningKeys> {
    const { rows, sealer, files } = options;
    const imported = files.configured?.set ?? files.copied?.set;
    if (rows.get(rowName) === undefined && imported !== undefined) {
      await rows.replace(rowName, undefined, sealer.seal(purpose, formatKeySet(imported)));
    }
    const keys = new SharedSigningKeys(options);
    const stored = keys.#current();
    if (stored !== undefined) assertSigningKeyFiles(files, stored.set);
    return keys;
  }

  async read(): Promise<StoredKeySet | undefined> {
    return this.#current();
  }

  async replace(previous: StoredKeySet | undefined, next: SigningKeySet): Promise<boolean> {
    const { rows, sealer } = this.#options;
    const row = rows.get(rowName);
    if (row?.revision !== previous?.revision) return false;
    const sealed = sealer.seal(purpose, formatKeySet(next));
    this.#decoded = { sealed, set: next };
    return await withStatusErrors(rows.replace(rowName, row, sealed));
  }

  listen(listener: (set: SigningKeySet) => void): void {
    const pass = () => {
      const stored = this.#currentIfReadable();
      if (stored === undefined) return;
      listener(stored.set);
      this.#copying = this.#copying.then(() => this.#copy(stored.set));
    };
    this.#options.rows.listen(pass);
    pass();
  }

  async refresh(): Promise<void> {
    await withStatusErrors(this.#options.rows.refresh());
  }

  /** Resolves when the data directory has a copy of the current keys. */
  async copied(): Promise<void> {
    await this.#copying;
  }

  #current(): StoredKeySet | undefined {
    const { rows, sealer } = this.#options;
    const row = rows.get(rowName);
    if (row === undefined) return undefined;
    const { value: sealed, revision } = row;
    if (this.#decoded?.sealed !== sealed) this.#decoded = { sealed, set: openKeySet(sealer, sealed) };
    return { set: this.#decoded.set, revision };
  }

  #currentIfReadable(): StoredKeySet | undefined {
    try {
      return this.#current();
    } catch (error) {
      this.#options.log.error({ error }, 'the signing keys in the store cannot be read; using the previous ones');
      return undefined;
    }
  }

  /**
   * Copies the keys to a file. A failure is only logged, because the server recognizes former keys in an outdated copy.
   */
  async #copy(set: SigningKeySet): Promise<void> {
    const { copyTo, log } = this.#options;
    try {
      const existing = await readSigningKeyFile(copyTo);
      if (existing !== undefined && formatKeySet(existing) === formatKeySet(set)) return;
      await writeSigningKeyFile(copyTo, set);
    } catch (error) {
      log.warn({ error, file: copyTo }, 'cannot copy the signing keys to the data directory');
    }
  }
}
