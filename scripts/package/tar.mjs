import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';

/** The time stamp of all files and images, so that builds at different times have the same bytes. */
export const fixedTime = '1970-01-01T00:00:00Z';

/** Flags of GNU tar for an archive that depends only on names, modes and contents. */
const reproducible = [
  '--sort=name',
  `--mtime=${fixedTime}`,
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--format=posix',
  '--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime',
];

/** Writes a directory, or one entry of it, as a tar file. The bytes depend only on the contents. */
export async function writeTar(directory, file, entry = '.') {
  await promisify(execFile)('tar', ['-C', directory, ...reproducible, '-cf', file, entry]);
}

/** Writes one entry of a directory as a compressed tar file. The bytes depend only on the contents. */
export async function writeCompressedTar(directory, file, entry) {
  const tar = `${file}.uncompressed`;
  await writeTar(directory, tar, entry);
  // Node writes a gzip header without name and time, so the bytes are reproducible.
  await pipeline(createReadStream(tar), createGzip(), createWriteStream(file));
  await rm(tar);
}
