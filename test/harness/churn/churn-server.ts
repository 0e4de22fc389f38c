import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FlotillaProcess, startFlotilla } from '../flotilla-process.ts';

/** The time in which clients write, in seconds: FLOTILLA_CHURN_SECONDS, by default 10. */
export const churnSeconds = Number(process.env.FLOTILLA_CHURN_SECONDS ?? 10);

/**
 * A history limit that is low enough for a test to see history expire, and high enough for a watch that resumes at
 * once.
 */
const settings = 'history: { seconds: 5, changes: 100 }\n';

/** Starts a server with short history: it soon responds with 410 to watches from old versions. */
export async function startChurnServer(): Promise<FlotillaProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'flotilla-churn-'));
  const config = join(directory, 'config.yaml');
  writeFileSync(config, settings);
  const flotilla = await startFlotilla({ args: ['--config', config] });
  return {
    ...flotilla,
    async remove() {
      await flotilla.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
