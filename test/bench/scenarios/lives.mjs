import { mebibytes } from '../figures.mjs';
import { residentBytes } from '../process-figures.mjs';

/** Measures the lifecycle of the instances of a kind on the built-in cluster. */
export async function measureLives(session, { scenario, kind, noun, article }) {
  if (!session.hasPlanes) return;
  const { sizes } = session;
  await session.start(scenario);
  const lives = (verb, calls, inTurn) => ({ verb, kind, project: 'default', calls, clients: 10, inTurn });
  // Warms up, so that the server compiles its hot code before the measurement.
  await session.run('instanceLives', lives('create', sizes.planeWarmUps, true));
  await session.run('instanceLives', lives('delete', sizes.planeWarmUps, false));

  const ready = `create ${article} ${noun}, until Ready, 10 clients`;
  session.note(
    `${noun}-ready`,
    ready,
    await session.measure(ready, 'instanceLives', lives('create', sizes.lives, true)),
  );
  const held = mebibytes(residentBytes(session.target.pids));
  const gone = `delete ${sizes.lives.toLocaleString('en')} ${noun}s, until deleted, 10 clients`;
  const figures = await session.measure(gone, 'instanceLives', lives('delete', sizes.lives, false));
  session.note(`${noun}-gone`, gone, { ...figures, milliseconds: 1000 * figures.seconds, memory: held });
}
