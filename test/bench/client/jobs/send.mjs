import { closeClients, openClients } from '../api-client.mjs';

/** A single request that prepares a measurement. */
export async function send(target, { method, path, object, expected }) {
  const [client] = await openClients(target, 1);
  const body = object === undefined ? undefined : Buffer.from(JSON.stringify(object));
  const media = { contentType: 'application/json' };
  const answer = await client.send(expected, method, path, { body, media });
  closeClients([client]);
  return JSON.parse(answer.body);
}
