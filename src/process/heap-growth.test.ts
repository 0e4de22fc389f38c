import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { setHeapGrowth } from './heap-growth.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

const program = `
  import { ${setHeapGrowth.name} } from './heap-growth.ts';

  ${setHeapGrowth.name}();
  const held = Array.from({ length: 100_000 }, (_, at) => ({ name: 'object ' + at }));
  gc();
  if (held.length === 0) process.exitCode = 1;
`;

it('the heap limit is three and a half times the live heap, whatever V8 would choose', async () => {
  const stdin = { contents: program, resolveDir: folder };
  const built = await build({ stdin, bundle: true, format: 'esm', platform: 'node', write: false });
  const source = built.outputFiles[0]?.text ?? '';
  const flags = ['--expose-gc', '--trace-gc-verbose', '--input-type=module', '--eval', source];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  const factors = [...stdout.matchAll(/new limit: \d+ KB \(([\d.]+)\)/g)].map(([, factor]) => factor);
  expect(factors.at(-1)).toBe('3.5');
});
