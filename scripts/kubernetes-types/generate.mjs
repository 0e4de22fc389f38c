import { writeFileSync } from 'node:fs';
import { goFixtures } from './go-fixtures.mjs';
import { packages } from './packages.mjs';
import { structTables } from './struct-tables.mjs';

const sources = new URL('../../src/', import.meta.url);
for (const [file, source] of structTables()) {
  writeFileSync(new URL(`api/structs/kubernetes/${file}`, sources), source);
  process.stdout.write(`${file}: ${source.length} bytes\n`);
}
if (process.argv.includes('--fixtures')) {
  const kinds = packages.flatMap(({ apiVersion, kinds: names }) => names.map((name) => `${apiVersion}/${name}`));
  const fixtures = goFixtures(kinds);
  writeFileSync(new URL('http/protobuf/kubernetes-objects.json', sources), fixtures);
  process.stdout.write(`kubernetes-objects.json: ${fixtures.length} bytes\n`);
}
