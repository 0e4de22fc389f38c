import type { JsonObject } from '@flotilla/json';

/**
 * The stored rows of one provider. The rows are kept when the provider's keys are replaced, which requires a new
 * `Provider` object.
 */
export type ProviderRows = Map<string, JsonObject>;

/**
 * Returns an `oidc-provider` storage adapter that stores one model in `rows`. Rows do not expire, because tests are
 * short.
 */
export function memoryAdapter(rows: ProviderRows, model: string) {
  const find = (matches: (row: JsonObject) => boolean) =>
    [...rows].find(([key, row]) => key.startsWith(`${model}:`) && matches(row))?.[1];
  return {
    async upsert(id: string, payload: JsonObject): Promise<void> {
      rows.set(`${model}:${id}`, payload);
    },
    async find(id: string): Promise<JsonObject | undefined> {
      return rows.get(`${model}:${id}`);
    },
    async findByUid(uid: string): Promise<JsonObject | undefined> {
      return find((row) => row.uid === uid);
    },
    async findByUserCode(code: string): Promise<JsonObject | undefined> {
      return find((row) => row.userCode === code);
    },
    async consume(id: string): Promise<void> {
      const row = rows.get(`${model}:${id}`);
      if (row !== undefined) rows.set(`${model}:${id}`, { ...row, consumed: Math.floor(Date.now() / 1000) });
    },
    async destroy(id: string): Promise<void> {
      rows.delete(`${model}:${id}`);
    },
    async revokeByGrantId(grantId: string): Promise<void> {
      for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key);
    },
  };
}
