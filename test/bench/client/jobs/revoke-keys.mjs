import { closeClients, openClients } from '../api-client.mjs';
import { figuresOf, measured } from '../measured.mjs';
import { postKey } from '../post-key.mjs';
import { spread } from '../spread.mjs';

/**
 * Measures how long a key remains valid after its deletion was requested. Another connection sends requests with the
 * key until one is refused.
 */
export async function revokeKeys(target, { calls }) {
  const clients = await openClients(target, 2);
  const [admin, other] = clients;
  const tokens = [];
  for (let number = 0; number < calls; number++) tokens.push(await postKey(admin, target, `revoked-${number}`));
  const ask = async (token) => {
    const status = await other.status('GET', target.management, `Bearer ${token}`);
    if (status !== 200 && status !== 401) throw new Error(`${status} instead of 200 or 401`);
    return status;
  };
  const act = async (_, number) => {
    const token = tokens[number];
    await ask(token);
    const deleted = admin.send(200, 'DELETE', `${target.management}/ownedaccesskeys/revoked-${number}`);
    while ((await ask(token)) !== 401);
    await deleted;
  };
  const taken = await measured(target, () => spread([0], { count: calls }, act));
  closeClients(clients);
  return figuresOf(taken, taken.result.length, taken.result);
}
