import { useMemo } from 'react';
import { projectNamespace } from '../../src/api/naming.ts';
import { textAt } from '../../src/lib/json-path.ts';
import { kinds } from './kind-ref.ts';
import { useMay, useMayEach } from './permissions.ts';
import { useRows } from './use-rows.ts';

/** A project in which whoever is signed in may make virtual clusters. */
export interface OpenProject {
  readonly name: string;
  readonly displayName: string;
}

export interface OpenProjects {
  /** False while it is not known which. */
  readonly known: boolean;
  readonly projects: readonly OpenProject[];
  readonly error: unknown;
}

const question = { verb: 'create', kind: kinds.instance };

/** Whoever may everywhere is not asked about each. */
export function useOpenProjects(): OpenProjects {
  const { rows, state, error } = useRows({ kind: kinds.project, objects: true });
  const everywhere = useMay(question);
  const all = useMemo(
    () =>
      rows
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata: { name = '' }, object }) => ({ name, displayName: textAt(object, 'spec', 'displayName') })),
    [rows],
  );
  const asked = everywhere.known && !everywhere.allowed ? all : [];
  const each = useMayEach(asked.map(({ name }) => ({ ...question, namespace: projectNamespace(name) })));
  return {
    known: state !== 'loading' && everywhere.known && each.every(({ known }) => known),
    projects: everywhere.allowed ? all : asked.filter((_, index) => each[index]?.allowed === true),
    error: state === 'refused' ? error : undefined,
  };
}
