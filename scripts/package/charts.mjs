// npm run charts -- --out DIRECTORY: writes an archive of each Helm chart, CHART-chart-VERSION.tgz. Two runs write the
// same bytes. The names differ from those that helm uses, because helm would give the chart `flotilla` the file name of
// the npm package.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { buildHelm } from './build-helm.mjs';
import { root } from './stage-program.mjs';
import { writeCompressedTar } from './tar.mjs';

const run = promisify(execFile);
const { out } = parseArgs({ options: { out: { type: 'string', default: '.' } } }).values;
const outdir = resolve(out);
const helm = await buildHelm(process.arch === 'x64' ? 'amd64' : process.arch);
const work = await mkdtemp(join(tmpdir(), 'flotilla-charts-'));
try {
  await mkdir(outdir, { recursive: true });
  for (const chart of await readdir(join(root, 'charts'))) await writeChart(chart);
} finally {
  await rm(work, { recursive: true });
}

/**
 * Packages a chart with helm, and packs the result again, because archives that helm writes contain the current time.
 */
async function writeChart(chart) {
  const folder = join(work, chart);
  await mkdir(folder);
  await run(helm, ['package', join(root, 'charts', chart), '--destination', folder]);
  const [packaged] = await readdir(folder);
  await run('tar', ['xzf', packaged], { cwd: folder });
  const version = packaged.slice(`${chart}-`.length);
  const file = join(outdir, `${chart}-chart-${version}`);
  await writeCompressedTar(folder, file, chart);
  console.log(file);
}
