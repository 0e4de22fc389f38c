import { readFileSync, readlinkSync } from 'node:fs';

/** The unit of CPU times in /proc: a hundredth of a second on all platforms of Node.js. */
const ticksPerSecond = 100;
/**
 * The indexes of the fields utime and stime in /proc/<pid>/stat, counted from the field after the name of the thread.
 */
const userTimeField = 11;
const systemTimeField = 12;

/** Returns the ID that the operating system has for the current thread. Returns 0 on systems other than Linux. */
export function nativeThreadId(): number {
  try {
    const [, id = '0'] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
    return Number(id);
  } catch {
    return 0;
  }
}

/**
 * Returns the CPU time that a thread of this process has used, in seconds. `nativeId` is a result of `nativeThreadId`.
 * If it is 0, returns the CPU time of the whole process.
 */
export function threadCpuSeconds(nativeId: number): number {
  const ofThread = nativeId === 0 ? undefined : readThreadCpuSeconds(nativeId);
  if (ofThread !== undefined) return ofThread;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

function readThreadCpuSeconds(nativeId: number): number | undefined {
  try {
    const text = readFileSync(`/proc/self/task/${nativeId}/stat`, 'latin1');
    // The name of the thread is in parentheses and may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const seconds = (Number(fields[userTimeField]) + Number(fields[systemTimeField])) / ticksPerSecond;
    return Number.isNaN(seconds) ? undefined : seconds;
  } catch {
    return undefined;
  }
}
