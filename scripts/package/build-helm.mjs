import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './stage-program.mjs';

/** Builds helm from its published module for an architecture (`amd64` or `arm64`). Returns the path of the program. */
export async function buildHelm(architecture) {
  const folder = join(root, '.cache', 'package', `tools-${architecture}`);
  await promisify(execFile)('bash', [join(root, 'test/tools/build.sh'), folder, 'helm'], {
    env: { ...process.env, GOARCH: architecture },
  });
  return join(folder, 'helm');
}
