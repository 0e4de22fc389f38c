import { readFile } from 'node:fs/promises';

const millisecondsPerTick = 10;

/** The CPU time that a process has used with all its threads, in milliseconds. */
export async function processCpu(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field of the file, the name of the program, can contain spaces. The first field of this array is the
  // third field of the file.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick;
}
