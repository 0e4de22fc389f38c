import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Linux reports CPU time in hundredths of a second, independent of the kernel's tick rate. */
const millisecondsPerTick = 10;

/** Milliseconds of CPU time that the processes have used so far, on all cores together. */
export function processorMilliseconds(pids) {
  let ticks = 0;
  for (const pid of pids) {
    // The second field, the name, is in parentheses and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * millisecondsPerTick;
}

/** Milliseconds that all cores together have been busy since boot, for any process. */
export function busyMilliseconds() {
  const [user, nice, system, , , interrupts, softInterrupts, stolen] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + interrupts + softInterrupts + stolen) * millisecondsPerTick;
}

function statusBytes(pid, field) {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) * 1024;
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

/** The resident memory of the processes in bytes. */
export const residentBytes = (pids) => sum(pids.map((pid) => statusBytes(pid, 'VmRSS')));

/** The peak resident memory since `forgetPeaks`. */
export const peakBytes = (pids) => sum(pids.map((pid) => statusBytes(pid, 'VmHWM')));

export function forgetPeaks(pids) {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Returns the size of all files in a folder, in bytes. A file may be deleted during the call. */
export function folderBytes(folder) {
  return sum(readdirSync(folder).map((file) => statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0));
}
