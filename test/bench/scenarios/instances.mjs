import { mebibytes } from '../figures.mjs';
import { residentBytes } from '../process-figures.mjs';

/** Instances from their creation until they are Ready, and from their deletion until nothing of them is left. */
export async function instances(session) {
  if (!session.hasPlanes) return;
  const { sizes } = session;
  await session.start('instances');
  const lives = (verb, calls, inTurn) => ({ verb, project: 'default', calls, clients: 10, inTurn });
  // Warms up, so that the server compiles its hot code before the measurement.
  await session.run('instanceLives', lives('create', sizes.planeWarmUps, true));
  await session.run('instanceLives', lives('delete', sizes.planeWarmUps, false));

  const ready = 'create an instance, until Ready, 10 clients';
  session.note(
    'instance-ready',
    ready,
    await session.measure(ready, 'instanceLives', lives('create', sizes.lives, true)),
  );
  const held = mebibytes(residentBytes(session.target.pids));
  const gone = `delete ${sizes.lives.toLocaleString('en')} instances, until deleted, 10 clients`;
  const figures = await session.measure(gone, 'instanceLives', lives('delete', sizes.lives, false));
  session.note('instance-gone', gone, { ...figures, milliseconds: 1000 * figures.seconds, memory: held });
}
