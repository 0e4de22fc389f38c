import { closeClients, openClients } from '../api-client.mjs';
import { figuresOf, measured } from '../measured.mjs';
import { postKey } from '../post-key.mjs';
import { spread } from '../spread.mjs';

/** Measures the creation of access keys, and how much the server grows with them. */
export async function createKeys(target, { prefix, clients: count, calls, seconds }) {
  const clients = await openClients(target, count);
  const act = (client, number) => postKey(client, target, `${prefix}-${number}`);
  const taken = await measured(target, () => spread(clients, { count: calls, seconds }, act));
  closeClients(clients);
  return figuresOf(taken, taken.result.length, taken.result);
}
