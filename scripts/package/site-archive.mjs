// npm run site-archive -- --out DIRECTORY: writes an archive of the documentation site of this version,
// NAME-site-VERSION.tar.gz. Two runs write the same bytes.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { root } from './stage-program.mjs';
import { writeCompressedTar } from './tar.mjs';

const { out } = parseArgs({ options: { out: { type: 'string', default: '.' } } }).values;
const outdir = resolve(out);
const { name: project, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const name = `${project}-site-${version}`;
const work = await mkdtemp(join(tmpdir(), 'flotilla-site-'));
try {
  await mkdir(outdir, { recursive: true });
  const generator = join(root, 'scripts/site/generate.mjs');
  await promisify(execFile)(process.execPath, [generator, '--out', join(work, name)], { cwd: root });
  const file = join(outdir, `${name}.tar.gz`);
  await writeCompressedTar(work, file, name);
  console.log(file);
} finally {
  await rm(work, { recursive: true });
}
