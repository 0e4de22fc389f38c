import { closeClients, openClients } from '../api-client.mjs';
import { postKey } from '../post-key.mjs';
import { spread } from '../spread.mjs';

/** Creates access keys of the caller through the API and returns their tokens. */
export async function makeKeys(target, { count }) {
  const clients = await openClients(target, 10);
  const tokens = [];
  await spread(clients, { count }, async (client, number) => {
    tokens.push(await postKey(client, target, `bench-${number}`));
  });
  closeClients(clients);
  return tokens;
}
