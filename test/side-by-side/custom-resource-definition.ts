import type { SharedKind } from './workshop-kinds.ts';

/** Returns the kind as a CustomResourceDefinition for kube-apiserver. */
export function customResourceDefinition(kind: SharedKind): object {
  const { group, version, plural, singular, shortNames, categories, selectableFields, columns } = kind;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: kind.namespaced ? 'Namespaced' : 'Cluster',
      names: { plural, singular, kind: kind.kind, listKind: `${kind.kind}List`, shortNames, categories },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { description: kind.description, ...kind.schema } },
          subresources: kind.hasStatus ? { status: {} } : undefined,
          additionalPrinterColumns: columns?.map(({ path, ...column }) => ({ ...column, jsonPath: `.${path}` })),
          selectableFields: selectableFields?.map((path) => ({ jsonPath: `.${path}` })),
        },
      ],
    },
  };
}
