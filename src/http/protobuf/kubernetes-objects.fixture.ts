import { readFileSync } from 'node:fs';
import type { JsonObject } from '@flotilla/json';

/**
 * Objects of all kinds in the struct tables, as Go encodes them: for each kind, an object without any fields and an
 * object with all fields. Made by `npm run generate:kubernetes -- --fixtures`.
 */
export const kubernetesObjects: readonly { name: string; protobuf: string; json: JsonObject }[] = (
  JSON.parse(readFileSync(new URL('kubernetes-objects.json', import.meta.url), 'utf8')) as {
    name: string;
    protobuf: string;
    json: string;
  }[]
).map((fixture) => ({ ...fixture, json: JSON.parse(fixture.json) as JsonObject }));
