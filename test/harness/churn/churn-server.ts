import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FlotillaProcess, startFlotilla } from '../flotilla-process.ts';

/** How long clients write: FLOTILLA_CHURN_SECONDS, 10 seconds where it is not set. */
export const churnSeconds = Number(process.env.FLOTILLA_CHURN_SECONDS ?? 10);

/** Short enough that a test sees the past forgotten, long enough for whoever resumes at once. */
const settings = 'history: { seconds: 5, changes: 100 }\n';

/** A server that soon answers 410 to whoever asks for old versions. */
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
