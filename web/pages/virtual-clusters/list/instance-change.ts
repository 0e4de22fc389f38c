import { projectOfNamespace, sleepForceAnnotation } from '../../../../src/api/naming.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { deleteObject } from '../../../data/objects/objects.ts';
import { putToSleep, wakeByRequest, wakeUp } from '../../../data/objects/sleep-and-wake.ts';
import type { Row } from '../../../data/rows/table-rows.ts';

/** A change that users can make to one or more virtual clusters of the list: sleep, wake or delete. */
export interface InstanceChange {
  readonly label: string;
  readonly icon: 'moon' | 'sun' | 'trash';
  readonly verb: 'patch' | 'use' | 'delete';
  readonly danger: boolean;
  title(names: string): string;
  readonly about: string;
  readonly doneLabel: string;
  /** True if the change applies to a virtual cluster with this status. */
  appliesTo(status: string): boolean;
  run(row: Row): Promise<void>;
}

function placeOf({ metadata: { namespace = '', name = '' } }: Row): { namespace: string; name: string } {
  return { namespace, name };
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
  about: 'Sleeping virtual clusters use no compute and keep their data. They cannot be used until someone wakes them.',
  doneLabel: 'put to sleep',
  appliesTo: (status) => status === 'Ready' || status === 'Failed',
  run: (row) => putToSleep(placeOf(row)),
};

export const wakeChange: InstanceChange = {
  label: 'Wake',
  icon: 'sun',
  verb: 'use',
  danger: false,
  title: (names) => `Wake ${names}?`,
  about: 'All data was kept. Virtual clusters on connected clusters take a moment to wake.',
  doneLabel: 'woken',
  appliesTo: (status) => status === 'Sleeping',
  async run(row) {
    const { name } = placeOf(row);
    // A virtual cluster that auto-sleep put to sleep wakes on any request; only a requested sleep must be removed.
    if (row.metadata.annotations?.[sleepForceAnnotation] === 'true') await wakeUp(projectOf(row), placeOf(row));
    else await wakeByRequest(projectOf(row), name);
  },
};

export const deleteChange: InstanceChange = {
  label: 'Delete',
  icon: 'trash',
  verb: 'delete',
  danger: true,
  title: (names) => `Delete ${names}?`,
  about:
    'All data is deleted. This cannot be undone. Virtual clusters that are managed externally are only removed from Flotilla.',
  doneLabel: 'being deleted',
  appliesTo: (status) => status !== 'Terminating',
  run: (row) => deleteObject(kinds.instance, placeOf(row), { uid: row.metadata.uid }),
};

export const instanceChanges: readonly InstanceChange[] = [sleepChange, wakeChange, deleteChange];
