import { createReadStream, type Dirent } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredBackup } from '../../api/backups/backup-status.ts';
import { privateFileMode, syncDirectory } from '../../lib/private-file.ts';
import { diskReserveBytes } from '../../store/embedded/write-buffer.ts';
import { verifyContent } from './backup-content.ts';
import type { BackupDestination, NewBackup, WrittenBackup } from './backup-destination.ts';
import type { BackupNames } from './backup-name.ts';

export interface DirectoryDestinationOptions {
  readonly directory: string;
  readonly names: BackupNames;
  /**
   * The data directory, if it contains the store; otherwise `undefined`. A backup on the same disk must not use the
   * space that the store reserves.
   */
  readonly storeDirectory: string | undefined;
}

const incompleteSuffix = '.incomplete';
/** The number of bytes that are written between two measurements of the free space. */
const measuredBytes = 8 * 1024 * 1024;

/** Writes backups to a local directory. The first backup creates the directory. */
export class DirectoryDestination implements BackupDestination {
  readonly #options: DirectoryDestinationOptions;

  constructor(options: DirectoryDestinationOptions) {
    this.#options = options;
  }

  get description(): string {
    return this.#options.directory;
  }

  async write({ name, chunks, signal }: NewBackup): Promise<WrittenBackup> {
    const { directory } = this.#options;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const target = join(directory, name);
    const temporary = `${target}${incompleteSuffix}`;
    try {
      const bytes = await this.#writeFile(temporary, chunks, signal);
      const content = await verifyContent(createReadStream(temporary), signal);
      signal.throwIfAborted();
      await rename(temporary, target);
      await syncDirectory(directory);
      return { ...content, bytes };
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  }

  async list(): Promise<StoredBackup[]> {
    const { directory, names } = this.#options;
    const found: StoredBackup[] = [];
    for (const { name } of await this.#files()) {
      const time = names.timeOf(name);
      if (time !== undefined) found.push({ name, time, bytes: (await stat(join(directory, name))).size });
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#options.directory, name), { force: true });
  }

  async removeIncomplete(): Promise<void> {
    const { directory, names } = this.#options;
    for (const { name } of await this.#files()) {
      const isOwn = name.endsWith(incompleteSuffix) && names.timeOf(name.slice(0, -incompleteSuffix.length));
      if (isOwn) await rm(join(directory, name), { force: true });
    }
  }

  /** Returns the files of the directory; none if it does not exist yet. */
  async #files(): Promise<Dirent[]> {
    await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
    const entries = await readdir(this.#options.directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile());
  }

  /** Writes and syncs a new file. Returns its size. */
  async #writeFile(path: string, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number> {
    const handle = await open(path, 'wx', privateFileMode);
    try {
      const leavesReserve = await this.#isOnDiskOfStore(handle);
      let bytes = 0;
      let measuredAt = 0;
      for await (const chunk of chunks) {
        signal.throwIfAborted();
        if (leavesReserve && (bytes === 0 || bytes - measuredAt >= measuredBytes)) {
          await this.#assertSpace();
          measuredAt = bytes;
        }
        await handle.writeFile(chunk);
        bytes += chunk.length;
      }
      await handle.sync();
      return bytes;
    } finally {
      await handle.close();
    }
  }

  async #isOnDiskOfStore(handle: FileHandle): Promise<boolean> {
    const { storeDirectory } = this.#options;
    return storeDirectory !== undefined && (await stat(storeDirectory)).dev === (await handle.stat()).dev;
  }

  /**
   * Throws if the backup could not grow without using the space that the store reserves. The store would then refuse
   * writes.
   */
  async #assertSpace(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#options.directory);
    const reserved = diskReserveBytes(blocks * bsize);
    if (bavail * bsize - measuredBytes > reserved) return;
    throw new Error(
      `the disk of ${this.#options.directory} is nearly full: ${bavail * bsize} bytes are free, and the store on the same disk reserves ${reserved}; remove files, or write backups to another disk`,
    );
  }
}
