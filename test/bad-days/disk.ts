import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own, mounted somewhere below the directory for temporary files. */
export class Disk {
  readonly path: string;
  readonly #image: string | undefined;

  private constructor(path: string, image?: string) {
    this.path = path;
    this.#image = image;
  }

  /** In memory; can be made read-only while nobody has a file open on it for writing. */
  static inMemory(megabytes: number): Disk {
    return mount((path) => {
      run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path);
      return new Disk(path);
    });
  }

  /** One that goes read-only by itself when it finds a fault, as most disks of servers do, whoever writes to it. */
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

  /** Bytes. */
  free(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }

  makeReadOnly(): void {
    run('mount', '-o', 'remount,ro', this.path);
  }

  /** The fault is found. There is no way back but to mount it anew. */
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

/** Refuses or takes every write to what lies in the directory, also from those who have it open already. */
export function refuseWrites(directory: string, refused: boolean): void {
  run('chattr', '-R', refused ? '+i' : '-i', directory);
}

/** Why this cannot be done here; nothing if it can. Says so aloud: what is not tested must not look as if it were. */
export function whyNot(what: string, attempt: () => void): string | undefined {
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
