import type { JsonObject } from '@flotilla/json';
import { readObjects } from '../../../hosts/read-objects.ts';
import type { InstanceDependencies } from '../instance-dependencies.ts';

/** Reads the objects of a template, which are YAML documents. Rejects with ApplyError. */
export async function readTemplateObjects(
  text: string,
  dependencies: Pick<InstanceDependencies, 'readObjects'>,
): Promise<readonly JsonObject[]> {
  if (text.trim() === '') return [];
  return await (dependencies.readObjects ?? readObjects)(text);
}
