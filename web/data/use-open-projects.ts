import { useMemo } from 'react';
import { projectNamespace } from '../../src/api/naming.ts';
import { kinds } from './kind-ref.ts';
import { useMay, useMayEach } from './permissions.ts';
import { useRows } from './use-rows.ts';

/** A project in which the caller may create virtual clusters. */
export interface OpenProject {
  readonly name: string;
  readonly displayName: string;
}

export interface OpenProjects {
  /** False until the permissions are known. */
  readonly known: boolean;
  readonly projects: readonly OpenProject[];
  readonly error: unknown;
}

const createPermission = { verb: 'create', kind: kinds.instance };

/** Checks each project only if the caller may not create instances in all of them. */
export function useOpenProjects(): OpenProjects {
  const { rows, state, error } = useRows({ kind: kinds.project, objects: true });
  const everywhere = useMay(createPermission);
  const all = useMemo(
    () =>
      rows
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata: { name = '' }, object }) => ({ name, displayName: object.spec?.displayName ?? '' })),
    [rows],
  );
  const checked = everywhere.known && !everywhere.allowed ? all : [];
  const each = useMayEach(checked.map(({ name }) => ({ ...createPermission, namespace: projectNamespace(name) })));
  return {
    known: state !== 'loading' && everywhere.known && each.every(({ known }) => known),
    projects: everywhere.allowed ? all : checked.filter((_, index) => each[index]?.allowed === true),
    error: state === 'refused' ? error : undefined,
  };
}
