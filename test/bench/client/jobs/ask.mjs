import { closeClients, openClients } from '../api-client.mjs';
import { figuresOf, measured } from '../measured.mjs';
import { spread } from '../spread.mjs';

/** Sends the same get repeatedly. */
export async function ask(target, { path, clients: count, calls, seconds }) {
  const clients = await openClients(target, count);
  const act = (client) => client.send(200, 'GET', path);
  await spread(clients, { count: Math.ceil(calls / 10) }, act);
  const taken = await measured(target, () => spread(clients, { count: calls, seconds }, act));
  closeClients(clients);
  return figuresOf(taken, taken.result.length, taken.result);
}
