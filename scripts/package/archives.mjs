// npm run archives -- --out DIRECTORY [--platform linux/amd64,…]: writes an archive for each platform,
// flotilla_VERSION_OS_ARCH.tar.gz, with the built program and Node. Also writes, for each archive, a list of the
// archive's components in the CycloneDX format, and the file SHA256SUMS. An archive needs no other software on the
// machine. Two runs on the same build write the same bytes.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { nodeRuntime } from './node-runtime.mjs';
import { bundledPackages, writeBillOfMaterials } from './sbom.mjs';
import { root, stageNativePackage, stageProgram } from './stage-program.mjs';
import { writeCompressedTar } from './tar.mjs';

/** The names of each platform: in archives, in Node, and in the LevelDB package. */
const platforms = {
  'linux/amd64': { node: 'linux-x64', native: 'linux-x64' },
  'linux/arm64': { node: 'linux-arm64', native: 'linux-arm64' },
  'darwin/amd64': { node: 'darwin-x64', native: 'darwin-x64+arm64' },
  'darwin/arm64': { node: 'darwin-arm64', native: 'darwin-x64+arm64' },
  'windows/amd64': { node: 'win32-x64', native: 'win32-x64' },
};

const { out, platform: wanted } = parseArgs({
  options: {
    out: { type: 'string', default: '.' },
    platform: { type: 'string', default: Object.keys(platforms).join(',') },
  },
}).values;
const outdir = resolve(out);
const work = await mkdtemp(join(tmpdir(), 'flotilla-archives-'));
try {
  await mkdir(outdir, { recursive: true });
  const sums = [];
  for (const platform of wanted.split(',')) {
    if (platforms[platform] === undefined)
      throw new Error(`--platform: "${platform}" is not one of ${Object.keys(platforms).join(', ')}`);
    for (const file of await writeArchive(platform)) sums.push(`${await sha256(join(outdir, file))}  ${file}\n`);
  }
  await writeFile(join(outdir, 'SHA256SUMS'), sums.join(''));
} finally {
  await rm(work, { recursive: true });
}

/** Writes the archive of a platform and the list of its components. Returns the names of both files. */
async function writeArchive(platform) {
  const { name: project, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const name = `${project}_${version}_${platform.replace('/', '_')}`;
  const folder = join(work, name);
  const { description, components } = await stageFiles(platform, folder);
  await addLaunchers(folder, platform);
  const file = `${name}.tar.gz`;
  await writeCompressedTar(work, join(outdir, file), name);
  await rm(folder, { recursive: true });
  const list = `${name}.sbom.json`;
  await writeBillOfMaterials(join(outdir, list), description, components);
  const { size } = await stat(join(outdir, file));
  console.log(`${join(outdir, file)}: ${(size / 1024 / 1024).toFixed(1)} MiB`);
  return [file, list];
}

/** Copies the program, its native package and Node into the folder `lib` of a directory. */
async function stageFiles(platform, directory) {
  const lib = join(directory, 'lib');
  await mkdir(lib, { recursive: true });
  const description = await stageProgram(lib);
  await stageNativePackage(lib, platforms[platform].native);
  const runtime = await nodeRuntime(platforms[platform].node);
  const program = join(lib, platform.startsWith('windows') ? 'node.exe' : 'node');
  await copyFile(runtime.program, program);
  await chmod(program, 0o755);
  await copyFile(runtime.license, join(lib, 'node.LICENSE'));
  for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md']) await copyFile(join(root, name), join(directory, name));
  return { description, components: [...(await bundledPackages()), runtime.component] };
}

async function addLaunchers(directory, platform) {
  const packaging = join(root, 'packaging');
  if (platform.startsWith('windows/')) {
    for (const name of ['flotilla.cmd', 'kubectl-flotilla.cmd'])
      await copyFile(join(packaging, 'archive', 'flotilla.cmd'), join(directory, name));
    return;
  }
  await copyFile(join(packaging, 'archive', 'flotilla'), join(directory, 'flotilla'));
  await chmod(join(directory, 'flotilla'), 0o755);
  for (const name of ['kubectl-flotilla', 'kubectl_complete-flotilla'])
    await symlink('flotilla', join(directory, name));
  if (platform.startsWith('linux/'))
    await cp(join(packaging, 'systemd'), join(directory, 'systemd'), { recursive: true });
}

async function sha256(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
