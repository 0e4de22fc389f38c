// npm run package -- --out DIRECTORY [--repository URL]: writes the npm package of the built program,
// flotilla-VERSION.tgz. LevelDB is its only dependency. Two runs on the same build write the same bytes. The
// package.json in the package contains the repository from which the package was built. The registry compares this
// repository with the identity of the publishing workflow.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { stageProgram } from './stage-program.mjs';

const { out, repository } = parseArgs({
  options: { out: { type: 'string', default: '.' }, repository: { type: 'string' } },
}).values;
const outdir = resolve(out);
const stage = await mkdtemp(join(tmpdir(), 'flotilla-package-'));
try {
  await stageProgram(
    stage,
    repository === undefined ? {} : { repository: { type: 'git', url: `git+${repository}.git` } },
  );
  await mkdir(outdir, { recursive: true });
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', outdir], { cwd: stage });
  const [{ filename, size, unpackedSize }] = JSON.parse(stdout);
  console.log(`${join(outdir, filename)}: ${megabytes(size)} (${megabytes(unpackedSize)} unpacked)`);
} finally {
  await rm(stage, { recursive: true });
}

function megabytes(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
