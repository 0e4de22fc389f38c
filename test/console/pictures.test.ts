import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { chromium } from '../harness/browsers.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const script = fileURLToPath(new URL('../../scripts/docs/pictures.mjs', import.meta.url));
const published = fileURLToPath(new URL('../../docs/images/', import.meta.url));

/** Returns the width and the height of a PNG image. */
function sizeOf(image: Buffer): [number, number] {
  expect(image.toString('latin1', 1, 4)).toBe('PNG');
  return [image.readUInt32BE(16), image.readUInt32BE(20)];
}

describeIfAvailable(chromium.missing, 'the pictures of the console in the documentation', () => {
  it('can be taken again with their script', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-new-pictures-'));
    try {
      await promisify(execFile)(process.execPath, [script, folder]);
      expect(readdirSync(folder).sort()).toEqual(readdirSync(published).sort());
      for (const name of readdirSync(folder)) {
        const size = sizeOf(readFileSync(join(folder, name)));
        expect(size, name).toEqual(sizeOf(readFileSync(join(published, name))));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
