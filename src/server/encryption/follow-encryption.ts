import { parseSchema } from '../../replicas/store-schema.ts';
import type { Keyring } from '../../seal/keyring/keyring.ts';
import { encryptedRowsSchema } from '../data/supported-schemas.ts';
import type { InstallationRows } from '../secrets/installation-rows.ts';

/**
 * Applies changes that other servers make: new keys and new schemas. The schema allows encrypted rows as soon as all
 * servers can read them.
 */
export function followEncryption(rows: Pick<InstallationRows, 'get' | 'listen'>, keyring: Keyring): void {
  let known = rows.get('keyring')?.revision;
  const follow = () => {
    if (parseSchema(rows.get('schema')).schema >= encryptedRowsSchema) keyring.enable();
    const revision = rows.get('keyring')?.revision;
    if (revision === known) return;
    known = revision;
    void keyring.reload();
  };
  follow();
  rows.listen(follow);
}
