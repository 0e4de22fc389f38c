// npm run docs: writes the reference pages that are generated from the code.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../check/sources.mjs';
import { generatedPages } from './pages.mjs';

for (const [path, text] of await generatedPages()) await writeFile(join(root, path), text);
