import { existsSync, readFileSync } from 'node:fs';

/**
 * The reason why this many connections cannot be opened here; `undefined` if they can. Node raises its own limit as far
 * as possible.
 */
export function fileLimitReason(needed: number): string | undefined {
  if (!existsSync('/proc/self/limits')) return undefined;
  const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 'unlimited';
  if (hard === 'unlimited' || Number(hard) >= needed) return undefined;
  return `${needed} open files are needed, a process may have ${hard} (ulimit -Hn)`;
}
