import { useMemo } from 'react';
import { projectNamespace } from '../../src/api/naming.ts';
import { type KindRef, kinds } from './kind-ref.ts';
import { usePermission, usePermissions } from './permissions.ts';
import { useRows } from './rows/use-rows.ts';

/** A project in which the caller may create instances of a kind. */
export interface CreatableProject {
  readonly name: string;
  readonly displayName: string;
}

export interface CreatableProjects {
  /** False until all permissions are known. */
  readonly known: boolean;
  readonly projects: readonly CreatableProject[];
  readonly error: unknown;
}

/** Returns the projects in which the caller may create instances. Usually one check covers all projects. */
export function useCreatableProjects(kind: KindRef): CreatableProjects {
  const createPermission = { verb: 'create', kind };
  const { rows, state, error } = useRows({ kind: kinds.project, objects: true });
  const everywhere = usePermission(createPermission);
  const all = useMemo(
    () =>
      rows
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata: { name = '' }, object }) => ({ name, displayName: object.spec?.displayName ?? '' })),
    [rows],
  );
  const checked = everywhere.known && !everywhere.allowed ? all : [];
  const each = usePermissions(checked.map(({ name }) => ({ ...createPermission, namespace: projectNamespace(name) })));
  return {
    known: state !== 'loading' && everywhere.known && each.every(({ known }) => known),
    projects: everywhere.allowed ? all : checked.filter((_, index) => each[index]?.allowed === true),
    error: state === 'refused' ? error : undefined,
  };
}
