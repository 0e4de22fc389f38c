import { projectOfNamespace, sleepForceAnnotation } from '../../../../src/api/naming.ts';
import { knock, putToSleep, wakeUp } from '../../../data/instance-writes.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { deleteObject } from '../../../data/objects.ts';
import type { Row } from '../../../data/table-rows.ts';

/** Something that is done to virtual clusters from the list, to one or to many. */
export interface InstanceChange {
  readonly word: string;
  readonly icon: 'moon' | 'sun' | 'trash';
  readonly verb: 'patch' | 'use' | 'delete';
  readonly danger: boolean;
  title(names: string): string;
  readonly about: string;
  readonly doneWord: string;
  /** Whether it makes sense for one of this status. */
  fits(status: string): boolean;
  run(row: Row): Promise<void>;
}

function placeOf({ metadata: { namespace = '', name = '' } }: Row): { namespace: string; name: string } {
  return { namespace, name };
}

export function projectOf({ metadata: { namespace = '' } }: Row): string {
  return projectOfNamespace(namespace) ?? namespace;
}

export const sleepChange: InstanceChange = {
  word: 'Sleep',
  icon: 'moon',
  verb: 'patch',
  danger: false,
  title: (names) => `Put ${names} to sleep?`,
  about:
    'They use nothing while they sleep, and nothing in them is lost. Whoever tries to use one is told that it sleeps, until somebody wakes it.',
  doneWord: 'put to sleep',
  fits: (status) => status === 'Ready' || status === 'Failed',
  run: (row) => putToSleep(placeOf(row)),
};

export const wakeChange: InstanceChange = {
  word: 'Wake',
  icon: 'sun',
  verb: 'use',
  danger: false,
  title: (names) => `Wake ${names}?`,
  about: 'Everything in them is as it was when they fell asleep. Those on other clusters take a moment.',
  doneWord: 'woken',
  fits: (status) => status === 'Sleeping',
  async run(row) {
    const { name } = placeOf(row);
    // One that fell asleep by itself needs no more than somebody who uses it.
    if (row.metadata.annotations?.[sleepForceAnnotation] === 'true') await wakeUp(projectOf(row), placeOf(row));
    else await knock(projectOf(row), name);
  },
};

export const deleteChange: InstanceChange = {
  word: 'Delete',
  icon: 'trash',
  verb: 'delete',
  danger: true,
  title: (names) => `Delete ${names}?`,
  about:
    'Everything in them is deleted with them, and cannot be brought back. Those that are managed elsewhere are only forgotten here.',
  doneWord: 'being deleted',
  fits: (status) => status !== 'Terminating',
  run: (row) => deleteObject(kinds.instance, placeOf(row), { uid: row.metadata.uid }),
};

export const instanceChanges: readonly InstanceChange[] = [sleepChange, wakeChange, deleteChange];
