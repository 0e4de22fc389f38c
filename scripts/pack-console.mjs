import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

const pack = promisify(brotliCompress);
/** The folder that `src/server/console/console-files.ts` reads. */
const packedFolder = '.packed';
const packable = /\.(?:js|css|svg|json)$/;

/**
 * Compresses the files of the console with the best quality. If a server compressed them on request, this would take
 * seconds and delay the first visitor.
 */
export async function packConsole(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const parameters = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await Promise.all(
    paths.filter(isServed).map(async (path) => {
      const packed = join(folder, packedFolder, `${relative(folder, path)}.br`);
      const bytes = await pack(await readFile(path), { params: parameters });
      await mkdir(dirname(packed), { recursive: true });
      await writeFile(packed, bytes);
    }),
  );

  function isServed(path) {
    return packable.test(path) && !relative(folder, path).startsWith('.');
  }
}
