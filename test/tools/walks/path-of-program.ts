import { spawnSync } from 'node:child_process';

/** Returns the path of a program on PATH, or `undefined` if it is not there. */
export function pathOfProgram(program: string): string | undefined {
  const { status, stdout } = spawnSync('bash', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
