import { projectOfNamespace, sleepForceAnnotation } from '../../../../src/api/naming.ts';
import type { InstanceType } from '../../../data/instance-types.ts';
import { deleteObject } from '../../../data/objects/objects.ts';
import { type InstanceKey, putToSleep, wakeByRequest, wakeUp } from '../../../data/objects/sleep-and-wake.ts';
import type { Row } from '../../../data/rows/table-rows.ts';

/** A change that users can make to one or more instances of a list: sleep, wake or delete. */
export interface InstanceChange {
  readonly label: string;
  readonly icon: 'moon' | 'sun' | 'trash';
  readonly verb: 'patch' | 'use' | 'delete';
  readonly danger: boolean;
  title(names: string): string;
  /** Describes the effect of the change on instances of a type. */
  about(type: InstanceType): string;
  readonly doneLabel: string;
  /** True if the change applies to an instance with this status. */
  appliesTo(status: string): boolean;
  run(row: Row, type: InstanceType): Promise<void>;
}

function instanceKeyOf(row: Row, type: InstanceType): InstanceKey {
  const { namespace = '', name = '' } = row.metadata;
  return { type, project: projectOf(row), namespace, name };
}

export function projectOf({ metadata: { namespace = '' } }: Row): string {
  return projectOfNamespace(namespace) ?? namespace;
}

export const sleepChange: InstanceChange = {
  label: 'Sleep',
  icon: 'moon',
  verb: 'patch',
  danger: false,
  title: (names) => `Put ${names} to sleep?`,
  about: ({ noun }) =>
    `Sleeping ${noun}s use no compute. Their objects and persistent volumes are kept. They cannot be used until someone wakes them.`,
  doneLabel: 'put to sleep',
  appliesTo: (status) => status === 'Ready' || status === 'Failed',
  run: (row, type) => putToSleep(instanceKeyOf(row, type)),
};

export const wakeChange: InstanceChange = {
  label: 'Wake',
  icon: 'sun',
  verb: 'use',
  danger: false,
  title: (names) => `Wake ${names}?`,
  about: ({ title }) => `${title}s on connected clusters take a moment to wake.`,
  doneLabel: 'woken',
  appliesTo: (status) => status === 'Sleeping',
  async run(row, type) {
    const instance = instanceKeyOf(row, type);
    // After auto-sleep, any request wakes the instance. If a user requested the sleep, the annotation that requests it
    // must be removed first.
    if (row.metadata.annotations?.[sleepForceAnnotation] === 'true') await wakeUp(instance);
    else await wakeByRequest(instance);
  },
};

export const deleteChange: InstanceChange = {
  label: 'Delete',
  icon: 'trash',
  verb: 'delete',
  danger: true,
  title: (names) => `Delete ${names}?`,
  about: ({ title, hasExplorer }) =>
    `All data is deleted. This cannot be undone. ${title}s that ${hasExplorer ? 'are managed externally' : 'were imported'} are only removed from Flotilla.`,
  doneLabel: 'being deleted',
  appliesTo: (status) => status !== 'Terminating',
  run: (row, type) => deleteObject(type.kind, instanceKeyOf(row, type), { uid: row.metadata.uid }),
};

export const instanceChanges: readonly InstanceChange[] = [sleepChange, wakeChange, deleteChange];
