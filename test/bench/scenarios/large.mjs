import { listForms } from './lists.mjs';
import { idleMemory } from './start.mjs';

/** Measures a server with many objects: creating them, the start, the memory, and lists of all objects. */
export async function large(session) {
  const { manyObjects } = session.sizes;
  const count = manyObjects.toLocaleString('en');
  await session.startPrepared('large');
  console.error(`  ${count} objects …`);
  const made = await session.fill('objects', manyObjects);
  session.note('large-create', `create, 64 clients, ${count} objects`, made);
  const { figures } = await session.restart();
  session.note('large-start', `start, ${count} objects`, figures);
  session.note('large-idle', `idle, ${count} objects`, { memory: await idleMemory(session, 'objects') });
  await listForms(session, 'large-list', manyObjects, Math.ceil(session.sizes.listRepeats / 3));
}
