import { open, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { errorCode } from '../lib/private-file.ts';
import { CliError } from './cli-error.ts';
import { pause } from './pause.ts';

const pauseMilliseconds = 50;
/**
 * The age, in milliseconds, above which a lock file is ignored. No program holds a lock for so long, so the program
 * that created the file must have been killed.
 */
const staleAfterMs = 60_000;

/**
 * Creates a lock file, calls `work`, and removes the lock file. Ignores an existing lock file whose process has ended.
 * Rejects if the lock file cannot be created, or if another program holds it for longer than `waitMilliseconds`.
 */
export async function withFileLock<T>(
  path: string,
  { waitMilliseconds }: { readonly waitMilliseconds: number },
  work: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + waitMilliseconds;
  while (!(await tryLock(path))) {
    if (await isAbandoned(path)) await rm(path, { force: true });
    else if (performance.now() > deadline) {
      throw new CliError(`${path} is held by another program`, {
        next: 'try again, or remove it if no program uses it',
      });
    } else await pause(pauseMilliseconds);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** Creates the lock file. Its content identifies this process. Returns false if the file exists. */
async function tryLock(path: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx', 0o600);
    try {
      await handle.writeFile(`${hostname()} ${process.pid}\n`);
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw new CliError(`cannot create ${path} (${errorCode(error)})`, { cause: error });
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > staleAfterMs) return true;
    // The file is empty if another program, such as kubectl, created it.
    const [host, pid] = (await readFile(path, 'utf8')).trim().split(' ');
    return host === hostname() && pid !== undefined && !isRunning(Number(pid));
  } catch {
    // The lock file is gone: its holder has just removed it.
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
