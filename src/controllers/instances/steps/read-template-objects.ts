import type { JsonObject } from '@flotilla/json';
import { readObjects } from '../../../hosts/read-objects.ts';
import type { InstanceDependencies } from '../instance-dependencies.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';

/** Reads the objects of an instance's template, which are YAML documents. Rejects with ApplyError. */
export async function readTemplateObjects(
  text: string,
  { project }: Pick<InstanceSnapshot, 'project'>,
  dependencies: Pick<InstanceDependencies, 'readObjects'>,
): Promise<readonly JsonObject[]> {
  if (text.trim() === '') return [];
  return await (dependencies.readObjects ?? readObjects)(text, project);
}
