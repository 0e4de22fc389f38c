import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A separate disk, mounted below the directory for temporary files. */
export class Disk {
  readonly path: string;
  readonly #image: string | undefined;

  private constructor(path: string, image?: string) {
    this.path = path;
    this.#image = image;
  }

  /** A tmpfs. It can be made read-only while no file on it is open for writing. */
  static inMemory(megabytes: number): Disk {
    return mount((path) => {
      run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path);
      return new Disk(path);
    });
  }

  /** An ext4 image that remounts read-only on an error, as most servers configure their disks. */
  static thatMayFail(megabytes: number): Disk {
    return mount((path) => {
      const image = `${path}.img`;
      run('truncate', '-s', `${megabytes}M`, image);
      try {
        run('mkfs.ext4', '-q', image);
        run('mount', '-o', 'loop,errors=remount-ro', image, path);
      } catch (error) {
        rmSync(image);
        throw error;
      }
      return new Disk(path, image);
    });
  }

  /** Free space in bytes. */
  free(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }

  /** The size in bytes. */
  size(): number {
    const { blocks, bsize } = statfsSync(this.path);
    return blocks * bsize;
  }

  makeReadOnly(): void {
    run('mount', '-o', 'remount,ro', this.path);
  }

  /** Triggers an error of the disk. Only a new mount makes the disk writable again. */
  fail(): void {
    run('mount', '-o', 'remount,abort', this.path);
  }

  remove(): void {
    run('umount', this.path);
    rmSync(this.path, { recursive: true });
    if (this.#image !== undefined) rmSync(this.#image);
  }
}

function mount(make: (path: string) => Disk): Disk {
  const path = mkdtempSync(join(tmpdir(), 'flotilla-disk-'));
  try {
    return make(path);
  } catch (error) {
    rmSync(path, { recursive: true });
    throw error;
  }
}

/** Refuses or accepts every write to files in the directory, including files that are already open. */
export function refuseWrites(directory: string, refused: boolean): void {
  run('chattr', '-R', refused ? '+i' : '-i', directory);
}

/**
 * Returns the reason why the attempt is impossible here; `undefined` if it is possible. Prints a warning, because a
 * skipped test must be visible.
 */
export function unavailableReason(what: string, attempt: () => void): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).trim().replaceAll('\n', '; ');
    console.warn(`SKIPPED: ${what} is not tested here: ${reason}`);
    return reason;
  }
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'pipe' });
}
