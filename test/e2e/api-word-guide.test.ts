import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freePorts } from '../harness/start-program.mjs';
import { codeBlocks, guideText, prepareGuideFolder, runBlocks, shellBlocks } from '../harness/walk-guide.ts';

it('the guide to another API word leads to a server with that word, and to a pipeline that uses it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'api-word-guide-'));
  prepareGuideFolder(folder);
  const [settings = ''] = codeBlocks(guideText('api-word.md'), 'yaml');
  const [port] = await freePorts(1);
  writeFileSync(join(folder, 'settings.yaml'), `${settings}listen: 127.0.0.1:${port}\n`);
  const blocks = [
    ...shellBlocks('api-word.md', 'Start a server with another word'),
    ...shellBlocks('api-word.md', 'Use the command line'),
    'flotilla create demo --wait --timeout 1m',
    'flotilla get demo -o jsonpath="{.apiVersion}"',
  ];
  const flotilla = { url: `https://127.0.0.1:${port}` };
  const printed = await runBlocks(blocks, { folder, flotilla, isLoggedOut: true });
  expect(printed).toMatch(/management\.loft\.sh\/v1$/);
  rmSync(folder, { recursive: true });
});
